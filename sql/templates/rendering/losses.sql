{#- What each document adds to a measure: one row for each document of a query where the measure is defined. `contribution` is the increase of
    the measure at its rank, `ideal_contribution` that at `ideal_rank`, its rank in the ideal ranking. Documents with equal gains
    share the first ideal ranks in the order of their ranks. -#}
{% include "rendering/by_rank.sql" %}
__ltr_increases as (
    select
        v.__ltr_key.of as __ltr_key,
        v.__ltr_key.kind as kind,
        v.rank,
        v.value,
        v.value - lag(v.value, 1, 0e0) over (partition by v.__ltr_key order by v.rank asc) as contribution
    from __ltr_by_rank as v
    where v.rank is not null and v.value is not null
),
__ltr_values as (
    select
        v.__ltr_key.of as __ltr_key,
        coalesce(sum(case when v.__ltr_key.kind = 'ranking' then i.contribution end), 0) as value,
        coalesce(sum(case when v.__ltr_key.kind = 'ideal' then i.contribution end), 0) as best
    from (
        select distinct d.__ltr_key
        from __ltr_by_rank as d
        where d.value is not null
    ) as v
    left join __ltr_increases as i
        on i.__ltr_key is not distinct from v.__ltr_key.of and i.kind = v.__ltr_key.kind
    group by v.__ltr_key.of
),
__ltr_graded as (
    select
        {{ key("d") }},
        d.rank,
        d.doc_id,
        d.relevance,
        {{ gain }} as gain,
        {#- Ranks without a row hold documents without a judgment. #}
        {{ smaller(k, "coalesce(d.rank - 1, max(d.num_ret) over (partition by " ~ key("d") ~ "), 0)") }}
        - count(case when {{ graded() }} and {{ in_top(k) }} then 1 end) over (
            partition by {{ key("d") }}
            order by d.rank asc nulls last
            rows between unbounded preceding and 1 preceding
        ) as unjudged_above
    from __ltr_orders as d
    where d.kind = 'ranking'
),
__ltr_placed as (
    select
        d.*,
        row_number() over (partition by {{ key("d") }} order by d.gain desc nulls last, d.rank asc nulls last, d.doc_id asc nulls last) as ideal_rank
    from __ltr_graded as d
    where d.relevance > 0
)
select
    {{ key_output("d") }},
    v.value,
    v.best,
    d.doc_id,
    d.relevance,
    cast(d.rank as bigint) as rank,
    case when d.gain > 0 then d.ideal_rank end as ideal_rank,
    coalesce(r.contribution, 0) as contribution,
    coalesce(i.contribution, 0) as ideal_contribution,
    cast(d.unjudged_above as bigint) as unjudged_above
from __ltr_placed as d
join __ltr_values as v
    on {{ same_key("v", "d") }}
left join __ltr_increases as r
    on {{ same_key("r", "d") }} and r.kind = 'ranking' and r.rank = d.rank
left join __ltr_increases as i
    on {{ same_key("i", "d") }} and i.kind = 'ideal' and i.rank = d.ideal_rank
