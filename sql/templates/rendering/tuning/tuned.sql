{#- The grid as a table: the mean of each configuration over the queries that choose, with its interval; `folds` counts the parts of
    queries whose choice it is. -#}
{%- from "shared/quantiles.sql" import t_of_queries with context -%}
{%- macro shown(mean) -%}
case when {{ named_in(measure, geometric_names) }} then exp({{ mean }}) else {{ mean }} end
{%- endmacro -%}
select
    c.configuration,
    c.method,
    c.norm,
    c.k,
    c.weights,
    {{ shown("m.mean") }} as mean,
    {{ shown("m.mean - q.t * m.sd / sqrt(m.queries)") }} as low,
    {{ shown("m.mean + q.t * m.sd / sqrt(m.queries)") }} as high,
    m.queries,
    coalesce(l.first = f.last, false) as chosen,
    coalesce(l.folds, 0) as folds
from (
    select
        g.configuration,
        max(g.method) as method,
        max(g.norm) as norm,
        max(g.k) as k,
        case when bool_and(g.weighted) then map_from_entries(list({'k': g.name, 'v': g.weight} order by g.name asc)) end as weights
    from {{ grid }} as g
    where g.candidate
    group by g.configuration
) as c
join (
    select
        min(t.part) as last
    from __ltr_tuning_choices as t
) as f
    on true
join __ltr_tuning_means as m
    on m.configuration = c.configuration and m.part = f.last
left join (
    {{ t_of_queries("__ltr_tuning_means", level) | indent(4) }}
) as q
    on q.queries = m.queries
left join (
    select
        t.configuration,
        min(t.part) as first,
        count(case when t.part >= 0 then 1 end) as folds
    from __ltr_tuning_choices as t
    group by t.configuration
) as l
    on l.configuration = c.configuration
