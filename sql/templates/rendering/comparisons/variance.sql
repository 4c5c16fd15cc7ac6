{#- Split the variance of values into systems, queries and error: one row for each measure and source. -#}
{%- set purpose = "'ltr.variance'" -%}
{% include "rendering/comparisons/compared_values.sql" %},
{% include "rendering/comparisons/two_way.sql" %},
__ltr_mean_squares as (
    select
        w.*,
        w.systems - 1 as df_system,
        w.queries - 1 as df_query,
        (w.systems - 1) * (w.queries - 1) as df_error,
        w.ss_system / nullif(w.systems - 1, 0) as ms_system,
        w.ss_query / nullif(w.queries - 1, 0) as ms_query,
        w.ss_error / nullif((w.systems - 1) * (w.queries - 1), 0) as ms_error
    from __ltr_two_way as w
),
__ltr_components as (
    select
        s.*,
        greatest(0e0, (s.ms_system - s.ms_error) / s.queries) as of_system,
        greatest(0e0, (s.ms_query - s.ms_error) / s.systems) as of_query,
        s.ms_error as of_error
    from __ltr_mean_squares as s
),
__ltr_sources as (
    {%- for source in ["system", "query", "error"] %}
    select
        c.grp,
        {{ loop.index }} as number,
        {{ string(source) }} as source,
        c.df_{{ source }} as df,
        c.ss_{{ source }} as ss,
        c.ms_{{ source }} as ms,
        {{ "cast(null as double)" if source == "error" else "c.ms_" ~ source ~ " / nullif(c.ms_error, 0)" }} as f,
        c.df_error,
        c.of_{{ source }} as variance,
        c.of_{{ source }} / nullif(c.of_system + c.of_query + c.of_error, 0) as share,
        {{ "c.of_system / nullif(c.of_system + c.of_error / c.queries, 0)" if source == "system" else "cast(null as double)" }} as generalizability
    from __ltr_components as c
    {{- "" if loop.last else "\n    union all" }}
    {%- endfor %}
)
select
    {{ strata_output }}r.measure,
    s.source,
    s.df,
    s.ss,
    s.ms,
    s.f,
    {{ f_p("s.f", "s.df", "s.df_error") }} as p,
    s.variance,
    s.share,
    s.generalizability
from __ltr_sources as s
join __ltr_groups as r
    on r.grp = s.grp
order by s.grp asc, s.number asc
