/*
summary = "Tukey's honestly significant differences of paired values: controls the chance of any false difference between systems. Every system needs a value for every query."
reference = "Tukey 1953, The Problem of Multiple Comparisons; Sakai 2018, Laboratory Experiments in Information Retrieval, chapter 4"
*/
{%- set purpose = "'adjust := ''tukey'''" -%}
with {% include "rendering/comparisons/two_way.sql" %},
__ltr_ranges as (
    select
        m.pair,
        w.systems,
        (w.systems - 1) * (w.queries - 1) as df,
        m.ties = m.queries as equal,
        sqrt(w.ss_error / ((w.systems - 1) * (w.queries - 1)) / w.queries) as error,
        m.spread / sqrt(m.queries) as error_of_pair,
        abs(m.difference) / nullif(sqrt(w.ss_error / ((w.systems - 1) * (w.queries - 1)) / w.queries), 0) as q
    from __ltr_moments as m
    join __ltr_two_way as w
        on w.grp = m.grp
),
__ltr_range_ps as (
    select
        d.systems,
        d.df,
        d.q,
        {{ tukey_p("d.q", "d.systems", "d.df") }} as p
    from (
        select distinct r.systems, r.df, r.q
        from __ltr_ranges as r
    ) as d
),
__ltr_range_quantiles as (
    select
        d.systems,
        d.df,
        {{ tukey_quantile(level, "d.systems", "d.df") }} as q
    from (
        select distinct r.systems, r.df
        from __ltr_ranges as r
    ) as d
)
select
    r.pair,
    case when r.equal then 1e0 else p.p end as p_adjusted,
    d.q * r.error / nullif(r.error_of_pair, 0) as decisive_t
from __ltr_ranges as r
left join __ltr_range_ps as p
    on p.systems = r.systems and p.df = r.df and p.q = r.q
left join __ltr_range_quantiles as d
    on d.systems = r.systems and d.df = r.df
