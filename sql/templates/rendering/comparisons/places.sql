{#- Create the CTE __ltr_places: the mean of each system with its t interval, and its place. -#}
{%- from "rendering/comparisons/looks.sql" import at_looks with context -%}
{%- call if_estimated() %}
__ltr_system_rows as (
    select
        {{ pair_of("v.grp", "v.sys") }} as pair,
        v.query,
        0e0 as a,
        {%- endcall %}
        {%- call if_human() %}
        v.judged as d,
        {%- endcall %}
        {%- call if_clusters_alone() %}
        v.value as d,
        {%- endcall %}
        {%- call if_across() %}
        v.value as d,
        {%- endcall %}
        {%- call if_linearised() %}
        v.value as llm,
        0e0 as llm_a,
        w.weight,
        w.cluster,
        {%- endcall %}
        {%- call if_estimated() %}
        m.scale
    from __ltr_values as v
    join __ltr_members as m
        on m.grp = v.grp and m.sys = v.sys
    {%- endcall %}
    {%- call if_linearised() %}
    join __ltr_query_weights as w
        on w.grp = v.grp and w.query = v.query
    {%- endcall %}
    {%- call if_estimated() %}
),
{%- endcall %}
{{ estimated_systems }}
__ltr_placed_means as {{ stored }}(
    {%- call if_direct() %}
    select
        m.*,
        cast(m.queries - 1 as double) as df,
        m.sd / sqrt(m.queries) as error,
        m.queries as units,
        max(m.scale) over (partition by m.grp) as scale_of_group
    from __ltr_members as m
    {%- endcall %}
    {%- call if_estimated() %}
    select
        m.grp,
        m.sys,
        m.queries,
        s.queries as units,
        s.mean,
        case when s.constant then 0e0 else s.spread / sqrt(s.queries) end as error,
        s.df,
        {%- endcall %}
        {%- call if_linearised() %}
        s.queries as judged,
        s.llm_difference as llm_mean,
        s.human_difference as human_mean,
        s.llm_weight,
        s.human_error * s.human_error * s.queries / nullif(s.spread * s.spread / s.queries, 0) as worth,
        s.clusters,
        s.design_effect,
        {%- endcall %}
        {%- call if_across() %}
        s.datasets,
        {%- endcall %}
        {%- call if_estimated() %}
        max(m.scale) over (partition by m.grp) as scale_of_group
    from __ltr_members as m
    left join {% endcall %}{{ if_linearised("__ltr_system_linearised") }}{{ if_across("__ltr_system_across") }}
        {%- call if_estimated() %} as s
        on s.pair = {{ pair_of("m.grp", "m.sys") }}
    {%- endcall %}
),
{%- call if_estimated() %}
__ltr_place_quantiles as {{ stored }}(
    select
        d.df,
        d.alpha,
        {{ t_quantile("d.alpha", "d.df") }} as t
    from (
        select distinct
            m.df,
            l.alpha
        from __ltr_placed_means as m
        join __ltr_levels as l
            on l.role = 'test'
        where m.df is not null
    ) as d
),
{%- endcall %}
__ltr_places as (
    select
        g.stratum,
        g.grp,
        g.measure,
        g.geometric,
        rank() over (partition by m.grp order by {{ rounded("g.sense * m.mean", "m.scale_of_group") }} desc nulls last) as place,
        m.sys,
        s.system,
        m.queries,
        m.mean,
        case when g.geometric then exp(m.mean) else m.mean end as average,
        {%- call if_human() %}
        m.judged,
        case when g.geometric then exp(m.llm_mean) else m.llm_mean end as llm_mean,
        case when g.geometric then exp(m.human_mean) else m.human_mean end as human_mean,
        m.llm_weight,
        m.worth,
        {%- endcall %}
        {%- call if_clustered() %}
        m.clusters,
        m.design_effect,
        {%- endcall %}
        {%- call if_across() %}
        m.datasets,
        {%- endcall %}
        {{ at_looks("case when m.df is not null then " ~ sequential_quantile(level, sequential_information("m.units", planned, level), "1e0") ~ " end",
            "q.t") }} * m.error as reach
    from __ltr_placed_means as m
    join __ltr_groups as g
        on g.grp = m.grp
    join __ltr_systems as s
        on s.sys = m.sys
    left join {{ if_direct("__ltr_quantiles") }}{{ if_estimated("__ltr_place_quantiles") }} as q
        on q.df = m.df and q.alpha = {{ level }}
)
