{#- Compare the systems of a table of values, two at a time: one row for each pair of systems, measure and stratum. Strata, systems and
    queries are numbered, because whole numbers join faster. -#}
{%- from "rendering/comparisons/looks.sql" import at_looks with context -%}
{% include "rendering/comparisons/compared_values.sql" %},
{% include "rendering/comparisons/paired_values.sql" %},
{%- call if_weighted() %}
__ltr_weighted_means as {{ materialized }}(
    select
        d.pair,
        count(*) as queries,
        sum(d.weight) as total,
        sum(d.weight * d.a) / sum(d.weight) as mean_a,
        sum(d.weight * d.b) / sum(d.weight) as mean_b,
        sum(d.weight * d.d) / sum(d.weight) as mean
    from __ltr_differences as d
    group by d.pair
),
{%- endcall %}
{{ estimated_pairs }}
{{ unpaired }}
{#- The standard error of a mean difference is spread / sqrt(queries): without weights, spread is the standard deviation. Rounding
    the smallest and largest difference, and comparing with half of the last decimal, saves rounding each difference. #}
{%- set decided %}
        count(*) as common,
        cast(nullif(count(*) - 1, 0) as double) as df,
        max(d.scale) as scale,
        {{ rounded("min(d.d)", "max(d.scale)") }} = {{ rounded("max(d.d)", "max(d.scale)") }} as constant,
        sum(case when d.d >= 5e-13 * d.scale then 1 else 0 end) as above,
        sum(case when d.d <= -5e-13 * d.scale then 1 else 0 end) as below
    from __ltr_differences as d
{%- endset %}
__ltr_sums as (
    select
        {%- call if_weighted() %}
        d.pair,
        count(*) as queries,
        max(m.mean_a) as mean_a,
        max(m.mean_b) as mean_b,
        max(m.mean) as mean,
        sqrt(sum(d.weight * power(d.d - m.mean, 2)) / max(m.total) * max(m.queries) / nullif(max(m.queries) - 1, 0)) as sd,
        sqrt({{ scaled("d.weight", "d.d - m.mean", "d.d - m.mean", "m.total", "m.queries") }}) as spread,
        {{ scaled("d.weight", "d.a - m.mean_a", "d.a - m.mean_a", "m.total", "m.queries") }} as variance_a,
        {{ scaled("d.weight", "d.a - m.mean_a", "d.d - m.mean", "m.total", "m.queries") }} as covariance,
        {{- decided }}
    join __ltr_weighted_means as m
        on m.pair = d.pair
    group by d.pair
        {%- endcall %}
        {%- call if_plain() %}
        d.pair,
        count(*) as queries,
        avg(d.a) as mean_a,
        avg(d.b) as mean_b,
        avg(d.d) as mean,
        stddev_samp(d.d) as sd,
        stddev_samp(d.d) as spread,
        var_samp(d.a) as variance_a,
        covar_samp(d.a, d.d) as covariance,
        {{- decided }}
    group by d.pair
        {%- endcall %}
        {%- call if_linearised() %}
        d.*
    from __ltr_pair_linearised as d
        {%- endcall %}
        {%- call if_across() %}
        d.*
    from __ltr_pair_across as d
        {%- endcall %}
    {{ unpaired_sums }}
),
__ltr_moments as {{ stored }}(
    select
        p.pair,
        p.grp,
        p.sys_a,
        p.sys_b,
        p.has_values,
        g.sense,
        coalesce(m.queries, 0) as queries,
        coalesce(m.common, 0) as common,
        p.queries_a - coalesce(m.common, 0) as only_a,
        p.queries_b - coalesce(m.common, 0) as only_b,
        {{ if_direct("case when m.common > 0 then m.difference / nullif(m.sd, 0) end") }}{{ if_estimated("cast(null as double)") }} as dz,
        {%- call if_across() %}
        m.datasets,
        m.fewest,
        m.over_datasets,
        {%- endcall %}
        {%- call if_linearised() %}
        m.human_difference,
        m.llm_difference,
        m.llm_weight,
        m.favour,
        m.favour_error,
        m.favour_df,
        m.human_error,
        m.clusters,
        m.lone_cluster,
        m.design_effect,
        {%- endcall %}
        m.df,
        m.mean_a,
        m.mean_b,
        m.difference,
        m.sd,
        m.spread,
        m.scale,
        coalesce(m.above, 0) as above,
        coalesce(m.queries - m.above - m.below, 0) as ties,
        coalesce(m.below, 0) as below,
        m.variance_a,
        m.covariance,
        m.difference * sqrt(m.queries) / nullif(m.spread, 0) as t,
        {{ at_looks(sequential_information("m.queries", planned, level), "cast(null as double)") }} as information,
        {#- Numerators and variances of the t statistics against the margin, in both directions. The margin may be a share
            of the mean of a. #}
        g.sense * m.difference + g.worse + g.share * m.mean_a as excess,
        g.sense * m.difference - g.better - g.share * m.mean_a as shortfall,
        m.spread * m.spread + g.share * g.share * m.variance_a + 2 * g.share * g.sense * m.covariance as excess_variance,
        m.spread * m.spread + g.share * g.share * m.variance_a - 2 * g.share * g.sense * m.covariance as shortfall_variance
    from __ltr_pairs as p
    join (
        select
            g.grp,
            g.sense,
            case when not g.geometric then {{ relative_margin }} else 0e0 end as share,
            {{ margin }} + case when g.geometric then -g.sense * ln(1 - g.sense * {{ relative_margin }}) else 0e0 end as worse,
            {{ margin }} + case when g.geometric then g.sense * ln(1 + g.sense * {{ relative_margin }}) else 0e0 end as better
        from __ltr_groups as g
    ) as g
        on g.grp = p.grp
    left join (
        select
            s.pair,
            s.queries,
            s.common,
            s.mean_a,
            s.mean_b,
            case when s.above + s.below = 0 then 0e0 else s.mean end as difference,
            case when s.constant then 0e0 else s.sd end as sd,
            case when s.constant then 0e0 else s.spread end as spread,
            s.scale,
            s.variance_a,
            s.covariance,
            s.above,
            s.below,
            s.df
            {%- call if_across() %},
            s.datasets,
            s.fewest,
            s.over_datasets
            {%- endcall %}
            {%- call if_linearised() %},
            s.human_difference,
            s.llm_difference,
            s.llm_weight,
            s.favour,
            s.favour_error,
            s.favour_df,
            s.human_error,
            s.clusters,
            s.lone_cluster,
            s.design_effect
            {%- endcall %}
        from __ltr_sums as s
    ) as m
        on m.pair = p.pair
),
{#- Two-sided p of the t test, and one-sided p of the tests against the margin. Without a statistic (mean and variance 0), p is 1. #}
{%- macro one_sided(t, p) -%}
case when t.queries < 2 or t.df is null then null when {{ t }} is null then 1e0
    else {{ at_looks(sequential_upper(t, "t.information"), "case when " ~ t ~ " >= 0 then " ~ p ~ " / 2 else 1 - " ~ p ~ " / 2 end") }}
    end
{%- endmacro %}
__ltr_tails as {{ stored }}(
    select
        t.pair,
        {{ element("t.ps", 1) }} as p,
        {{ one_sided(element("t.ts", 2), element("t.ps", 2)) }} as p_not_worse,
        {{ one_sided("-" ~ element("t.ts", 2), element("t.ps", 2)) }} as p_worse,
        {{ one_sided("-" ~ element("t.ts", 3), element("t.ps", 3)) }} as p_not_better,
        {{ one_sided(element("t.ts", 3), element("t.ps", 3)) }} as p_better
    from (
        select
            t.*,
            {{ each("t.ts", "s", t_p("s", "t.df")) }} as ps
        from (
            select
                m.pair,
                m.df,
                m.queries,
                m.information,
                {{ array("m.t", standardised("m.excess", "m.excess_variance", "m.queries", "m.scale"),
                    standardised("m.shortfall", "m.shortfall_variance", "m.queries", "m.scale")) }} as ts
            from __ltr_moments as m
        ) as t
    ) as t
),
__ltr_effects as (
    select
        m.pair,
        m.difference / m.spread as dz
    from __ltr_moments as m
    where m.dz <> 0 and {{ rounded("m.difference", "m.scale") }} <> 0 and not {{ sequential }}
),
{#- Statistic, df and p of each pair. #}
__ltr_tested as {{ stored }}(
    {{ tested | indent(4) }}
),
__ltr_ranked as {{ materialized }}(
    select
        t.pair,
        t.p,
        t.family,
        row_number() over (partition by t.family order by t.p asc, t.pair asc) as place,
        count(*) over (partition by t.family) as tests
    from (
        select
            t.pair,
            t.p,
            case when {{ family }} = 'all' then -g.stratum_number else g.grp end as family
        from __ltr_tested as t
        join __ltr_moments as m
            on m.pair = t.pair
        join __ltr_groups as g
            on g.grp = m.grp
        where t.p is not null
    ) as t
),
__ltr_adjusted as (
    {{ adjusted | indent(4) }}
),
{#- The levels of the two intervals of each pair. The corrected one is the level at which the correction decides this pair: with a
    t test and its interval, the interval excludes 0 if and only if the corrected p is at most the level of the test. #}
__ltr_pair_levels as {{ stored }}(
    select
        m.pair,
        m.df,
        m.information,
        {{ interval_level }} as plain,
        case
            when {{ has_margin }} then {{ interval_level }}
            when {{ adjust }} = 'none' or t.p is null or m.sd = 0 then {{ level }}
            when j.decisive_t is not null then {{ t_p("j.decisive_t", "m.df") }}
            {#- A corrected p that is 1 except for rounding is 1. #}
            when j.p_adjusted < 0.999999999e0 then {{ level }} * coalesce(t.p / nullif(j.p_adjusted, 0), 1e0 / r.tests)
            else {{ level }} * least(1e0 / r.tests, t.p)
        end as corrected
    from __ltr_moments as m
    left join __ltr_tested as t
        on t.pair = m.pair
    left join __ltr_ranked as r
        on r.pair = m.pair
    left join __ltr_adjusted as j
        on j.pair = m.pair
    where m.queries > 1
),
{% include "rendering/comparisons/queries_for_power.sql" %},
{#- The quantile t of each df and level. #}
__ltr_quantiles as {{ stored }}(
    select
        d.df,
        d.alpha,
        {{ t_quantile_near("d.z", "d.alpha", "d.df") }} as t
    from (
        select
            m.df,
            l.alpha,
            l.z
        from __ltr_moments as m
        cross join __ltr_levels as l
        where m.df is not null
        union
        select
            cast(m.queries - 1 as double),
            l.alpha,
            l.z
        from __ltr_members as m
        join __ltr_levels as l
            on l.role = 'test'
        where m.queries > 1
        union
        select
            l.df,
            l.corrected,
            -{{ normal_quantile("l.half") }}
        from (
            select distinct
                l.df,
                l.corrected,
                l.corrected / 2 as half
            from __ltr_pair_levels as l
            where l.df >= 1 and l.corrected > 0 and l.corrected < 1 and l.corrected <> l.plain
        ) as l
    ) as d
),
{#- The levels of all intervals, with their quantiles t. A corrected level that equals the plain one has no row of its own. With a
    margin, each end of an interval is a test of its own. #}
{%- set ends = "case when " ~ has_margin ~ " then 2e0 else 1e0 end" %}
__ltr_coverages as {{ stored }}(
    select
        l.pair,
        l.plain as level,
        {{ at_looks(sequential_quantile("l.plain", "l.information", ends), "q.t") }} as t
    from __ltr_pair_levels as l
    join __ltr_quantiles as q
        on q.df = l.df and q.alpha = {{ interval_level }}
    union all
    select
        l.pair,
        l.corrected,
        {{ at_looks(sequential_quantile("l.corrected", "l.information", ends), "c.t") }}
    from __ltr_pair_levels as l
    left join __ltr_quantiles as c
        on c.df = l.df and c.alpha = l.corrected
    where l.corrected <> l.plain and l.df is not null
),
{#- Intervals by pair and level. #}
__ltr_intervals as (
    {{ interval | indent(4) }}
),
__ltr_results as (
    select
        m.*,
        g.stratum,
        g.measure,
        g.geometric,
        a.system as system_a,
        b.system as system_b,
        t.statistic,
        t.df as test_df,
        t.p,
        t.direction,
        j.p_adjusted,
        l.corrected as interval_level,
        {#- Equal differences that the sign test does not show have no interval: their own value would say that there is one. #}
        {%- for name, interval in {"low": "i.low", "high": "i.high", "uncorrected_low": "u.low", "uncorrected_high": "u.high"}.items() %}
        case
            when m.queries < 2 or m.df is null then null
            when m.sd <> 0 then {{ interval }}
            when {{ has_margin }} or t.p is not null or {{ sign_p_of_equal("m.queries") }} <= {{ level }} then m.difference
        end as {{ name }},
        {%- endfor %}
        ({{ at_looks(sequential_quantile(level, "m.information", "1e0"), "q.of_test") }} + q.of_power) * m.spread / sqrt(m.queries) as mde,
        {#- Fieller's interval of the mean difference divided by the mean of a, from the residuals d - ratio a. If they are 0 except for
            rounding, d is proportional to a. #}
        v.t * v.t / m.queries as share_of_error,
        m.difference / nullif(m.mean_a, 0) as ratio,
        s.p_not_worse,
        s.p_worse,
        s.p_not_better,
        case when {{ has_margin }} and not {{ sequential }} then m.queries < 5 else {{ too_few }} end as too_few
    from __ltr_moments as m
    join __ltr_groups as g
        on g.grp = m.grp
    join __ltr_systems as a
        on a.sys = m.sys_a
    join __ltr_systems as b
        on b.sys = m.sys_b
    left join __ltr_tails as s
        on s.pair = m.pair
    left join __ltr_tested as t
        on t.pair = m.pair
    left join __ltr_adjusted as j
        on j.pair = m.pair
    left join __ltr_pair_levels as l
        on l.pair = m.pair
    left join __ltr_coverages as v
        on v.pair = l.pair and v.level = l.corrected
    left join __ltr_intervals as i
        on i.pair = l.pair and i.level = l.corrected
    left join __ltr_intervals as u
        on u.pair = l.pair and u.level = l.plain
    left join (
        select
            q.df,
            max(case when q.alpha = {{ level }} then q.t end) as of_test,
            max(case when q.alpha = 2 * (1 - {{ power }}) then q.t end) as of_power
        from __ltr_quantiles as q
        group by q.df
    ) as q
        on q.df = m.df
),
__ltr_decided as (
    select
        r.*,
        {#- Equal differences on all queries have no t statistic, so the sign test decides. #}
        coalesce(r.p_adjusted, case when r.sd = 0 then {{ sign_p_of_equal("r.queries") }} end) as p_decisive,
        r.sense * case when r.p_adjusted is null then r.difference else r.direction end as gain,
        r.mean_a * r.mean_a - r.share_of_error * r.variance_a as x,
        r.share_of_error * (r.covariance - r.ratio * r.variance_a) as y,
        r.share_of_error * case
            when r.spread * r.spread - 2 * r.ratio * r.covariance + r.ratio * r.ratio * r.variance_a > 1e-15
                * (r.spread * r.spread + r.ratio * r.ratio * r.variance_a)
            then r.spread * r.spread - 2 * r.ratio * r.covariance + r.ratio * r.ratio * r.variance_a
            else 0e0
        end as z
    from __ltr_results as r
),
{%- call if_human() %}
__ltr_favour_quantiles as {{ stored }}(
    select
        d.df,
        {{ t_quantile("d.alpha", "d.df") }} as t
    from (
        select distinct
            m.favour_df as df,
            l.alpha
        from __ltr_moments as m
        join __ltr_levels as l
            on l.role = 'test'
        where m.favour_df is not null
    ) as d
),
{%- endcall %}
__ltr_compared as {{ stored }}(
    select
        r.pair,
        r.grp,
        r.sys_a,
        r.sys_b,
        r.stratum,
        r.measure,
        r.system_a,
        r.system_b,
        case when {{ paired }} then r.common else r.only_a + r.only_b end as queries,
        {%- call if_linearised() %}
        r.queries as judged,
        {%- endcall %}
        r.only_a,
        r.only_b,
        case when r.geometric then exp(r.mean_a) else r.mean_a end as mean_a,
        case when r.geometric then exp(r.mean_b) else r.mean_b end as mean_b,
        r.difference,
        case when r.geometric then exp(r.difference) - 1 else r.ratio end as relative,
        case when {{ paired }} then r.sd end as sd,
        case when r.low is not null then 1 - r.interval_level end as confidence,
        r.low,
        r.high,
        r.uncorrected_low,
        r.uncorrected_high,
        case when r.geometric then exp(r.low) - 1 when r.x > 0
            and (r.low is not null or r.sd <> 0) then r.ratio - (r.y + sqrt(r.y * r.y + r.x * r.z)) / r.x
            end as relative_low,
        case when r.geometric then exp(r.high) - 1 when r.x > 0
            and (r.low is not null or r.sd <> 0) then r.ratio - (r.y - sqrt(r.y * r.y + r.x * r.z)) / r.x
            end as relative_high,
        r.dz,
        {#- Hedges' correction is a ratio of gamma functions, which t_scale also computes. #}
        case when r.df = 1 then 0 * r.dz when r.df > 1 then r.dz * sqrt((r.df - 1) / r.df) * 2.5066282746310002e0 * {{ t_scale("(r.df - 1)") }} end as gz,
        cast(case when not {{ paired }} then null when r.sense > 0 then r.above else r.below end as bigint) as wins,
        cast(case when {{ paired }} then r.ties end as bigint) as ties,
        cast(case when not {{ paired }} then null when r.sense > 0 then r.below else r.above end as bigint) as losses,
        case when {{ paired }} then (case when r.sense > 0 then r.above else r.below end + r.ties / 2e0) / nullif(r.queries, 0) end as superiority,
        {{ test }} as test,
        r.statistic,
        r.test_df as df,
        r.p,
        r.p_adjusted,
        r.p_not_worse,
        r.p_worse,
        case when {{ has_margin }} then greatest(r.p_not_worse, r.p_not_better) end as p_equivalent,
        r.mde,
        case
            when not r.has_values or greatest(r.common, r.queries) = 0 then 'no values'
            {%- call if_human() %}
            when r.queries < 10 then 'too few judged queries'
            {%- endcall %}
            {%- call if_clustered() %}
            when r.lone_cluster then 'too few clusters'
            {%- endcall %}
            when r.ties = r.queries then 'equal'
            {%- call if_across() %}
            when r.over_datasets and r.datasets < 5 then 'too few datasets'
            when not r.over_datasets and r.fewest < 2 then 'too few queries'
            {%- endcall %}
            when r.too_few then 'too few queries'
            when {{ has_margin }} then case
                when r.p_not_worse is null then 'undecided'
                when greatest(r.p_not_worse, r.p_not_better) <= {{ level }} then 'equivalent'
                when r.p_not_worse <= {{ level }} then 'not worse'
                when r.p_worse <= {{ level }} then 'worse by more than the margin'
                else 'undecided'
            end
            when r.p_decisive <= {{ level }} then case when r.gain > 0 then 'better' else 'worse' end
            else 'undecided'
        end as verdict
        {%- call if_human() %},
        r.llm_difference,
        r.human_difference,
        r.favour,
        r.favour - f.t * r.favour_error as favour_low,
        r.favour + f.t * r.favour_error as favour_high,
        r.llm_weight,
        r.human_error * r.human_error * r.queries * r.queries / nullif(r.spread * r.spread, 0) as worth
        {%- endcall %}
        {%- call if_clustered() %},
        cast(r.clusters as bigint) as clusters,
        r.design_effect
        {%- endcall %}
        {%- call if_across() %},
        cast(r.datasets as bigint) as datasets,
        cast(r.fewest as bigint) as fewest
        {%- endcall %}
    from __ltr_decided as r
    {%- call if_human() %}
    left join __ltr_favour_quantiles as f
        on f.df = r.favour_df
    {%- endcall %}
    {%- if missing != "'skip'" %}
    where case
        when {{ missing }} = 'error' and r.only_a + r.only_b > 0
        then {{ error_function }}('queries are missing (' || r.measure || '): ' || {{ text("r.system_a") }} || ' and '
            || {{ text("r.system_b") }} || ' have ' || r.queries || ' queries in common, ' || r.only_a
            || ' are only in the first and ' || r.only_b || ' only in the second: pass missing := ''skip'' or ''zero''')
        else true
    end
    {%- endif %}
)
{{ result }}
