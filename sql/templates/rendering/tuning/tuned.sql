{#- The grid as a table: the mean of each configuration over the queries that choose, with its interval; `folds` counts the parts of
    queries whose choice it is. -#}
{%- macro shown(mean) -%}
case when {{ named_in(measure, geometric_names) }} then exp({{ mean }}) else {{ mean }} end
{%- endmacro -%}
select
    c.method,
    c.norm,
    c.k,
    c.weights,
    {{ shown("m.mean") }} as mean,
    {{ shown("m.mean - q.t * m.sd / sqrt(m.queries)") }} as low,
    {{ shown("m.mean + q.t * m.sd / sqrt(m.queries)") }} as high,
    m.queries,
    l.chosen,
    l.folds
from (
    select
        g.configuration,
        max(g.method) as method,
        max(g.norm) as norm,
        max(g.k) as k,
        case when bool_and(g.weighted) then map(list(g.name order by g.name asc), list(g.weight order by g.name asc)) end as weights
    from {{ grid }} as g
    where g.candidate
    group by g.configuration
) as c
join (
    select
        max(t.part) as last
    from __ltr_tuning_choices as t
    where {{ holdout }} is not null or t.part = -1
) as f
    on true
join __ltr_tuning_means as m
    on m.configuration = c.configuration and m.part = f.last
left join (
    select
        d.queries,
        {{ t_quantile(level, "d.df") }} as t
    from (
        select distinct
            m.queries,
            cast(m.queries - 1 as double) as df
        from __ltr_tuning_means as m
        where m.queries > 1
    ) as d
) as q
    on q.queries = m.queries
join (
    select
        g.configuration,
        coalesce(bool_or(t.part = -1 or {{ holdout }} is not null), false) as chosen,
        count(case when t.part >= 0 then 1 end) as folds
    from __ltr_tuning_configurations as g
    left join __ltr_tuning_choices as t
        on t.configuration = g.configuration
    group by g.configuration
) as l
    on l.configuration = c.configuration
order by c.configuration asc
