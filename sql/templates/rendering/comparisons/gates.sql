{#- Decide gates: one row for each gate and system that is compared with the baseline. -#}
with __ltr_gated as (
    {{ gated }}
    {%- for gate in gates %}
    select
        {{ loop.index0 }} as gate,
        {{ string(gate.word) }} as word,
        {{ string(gate.direction) }} as direction,
        {{ "true" if gate.relative else "false" }} as relative,
        c.*
    from {{ gate.comparisons }} as c
    where c.measure = {{ string(gate.measure) }}
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
),
__ltr_decisive as materialized (
    select
        row_number() over (order by g.gate asc, g.system_a asc, g.system_b asc) as pair,
        g.*,
        {#- With equal values on all queries, no gate fails. #}
        case
            when g.word = 'plainly' then null
            when g.word = 'significantly' and g.direction = 'worse' then g.p_worse
            when g.word = 'significantly' then least(1e0, 2 * least(g.p_worse, g.p_better))
            when g.equal and g.p_not_worse is not null then 0e0
            when g.direction = 'different' then greatest(g.p_not_worse, g.p_not_better)
            else g.p_not_worse
        end as p,
        {#- The tolerance is above the rounding error of sums, and far below any difference of interest. #}
        g.loss > 1e-9 * g.scale or (g.direction = 'different' and g.gain > 1e-9 * g.scale) as beyond
    from __ltr_gated as g
),
{#- Correct all `significantly` gates together, because each one that fails claims a difference. #}
__ltr_ranked as materialized (
    select
        d.pair,
        d.p,
        0 as family,
        row_number() over (order by d.p asc, d.pair asc) as place,
        count(*) over () as tests
    from __ltr_decisive as d
    where d.word = 'significantly' and d.p is not null
),
__ltr_adjusted as (
    {{ adjusted | indent(4) }}
),
{#- The correction decides a `significantly` gate at the level alpha * p / p_adjusted, or of Bonferroni if p_adjusted is 1. #}
__ltr_gate_levels as materialized (
    select
        d.pair,
        d.df,
        d.information,
        case when d.word = 'significantly' and d.error is not null then
            case when d.direction = 'different' then 1 else 2 end
            * {{ level }}
            * case when j.p_adjusted < 0.999999999e0 then coalesce(d.p / nullif(j.p_adjusted, 0), 1e0 / r.tests) else least(1e0 / r.tests, d.p) end
        end as level
    from __ltr_decisive as d
    left join __ltr_ranked as r
        on r.pair = d.pair
    left join __ltr_adjusted as j
        on j.pair = d.pair
),
__ltr_critical as materialized (
    select
        l.pair,
        coalesce(l.level, 2 * {{ level }}) as level,
        {{ sequential_quantile("l.level", "l.information", "2e0") if sequential else t_quantile("l.level", "l.df") }} as t
    from __ltr_gate_levels as l
),
{#- Number of queries that would show that a truly equal system is not worse. The test is one-sided. #}
__ltr_effects as (
    select
        d.pair,
        d.margin / d.sd as dz
    from __ltr_decisive as d
    where d.word = 'possibly' and d.direction = 'worse' and d.p > {{ level }} and d.margin > 0 and d.sd > 0
),
{% with level = "(2 * " ~ level ~ ")" %}{% include "rendering/comparisons/queries_for_power.sql" %}{% endwith %}
select
    d.gate,
    d.system_a,
    d.system_b,
    d.queries,
    d.mean_a,
    d.mean_b,
    d.difference,
    {#- The interval has the level at which the gate is decided. A two-sided test has half of it on each side. #}
    1 - c.level as confidence,
    case when c.t is null then d.low else d.difference - c.t * d.error end as low,
    case when c.t is null then d.high else d.difference + c.t * d.error end as high,
    d.near_zero,
    d.sense,
    d.margin,
    d.equal,
    d.p,
    j.p_adjusted,
    coalesce(r.tests, 1) as tests,
    n.queries_needed,
    case
        when d.queries = 0 then 'no query has a value of both systems: if each saw queries of its own, pass paired := false'
        when d.no_values then 'the baseline has no value other than 0'
        when d.few_judged then 'people judged fewer than 10 queries'
        when d.few_clusters and d.word <> 'plainly' then 'all queries are in one cluster'
        when d.few_queries and d.word <> 'plainly' then 'the sequential test needs at least 50 queries'
        when d.relative and d.mean_a = 0 then 'a share of the mean of ' || d.system_a || ' is undefined, because it is 0'
        when d.word <> 'plainly' and d.p is null and d.fewest < 2 then 'a dataset has one query, whose variance is unknown'
        when d.word <> 'plainly' and d.p is null then 'a test needs at least 2 queries'
    end as undecided,
    case d.word
        when 'plainly' then d.beyond
        when 'significantly' then d.beyond and j.p_adjusted <= {{ level }}
        else d.p > {{ level }}
    end as failed
from __ltr_decisive as d
left join __ltr_ranked as r
    on r.pair = d.pair
left join __ltr_adjusted as j
    on j.pair = d.pair
left join __ltr_needed as n
    on n.pair = d.pair
left join __ltr_critical as c
    on c.pair = d.pair
order by d.pair asc
