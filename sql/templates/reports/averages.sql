{#- Average columns of a table of values over the queries of each system, in the order of `systems`: lists of means, and of the ends of
    their t intervals. `weight` is SQL. -#}
{%- from "shared/quantiles.sql" import t_of_queries with context -%}
{%- macro counted(column) %}count(case when v.{{ column }} is not null and {{ weight }} > 0 then 1 end){% endmacro %}
{%- macro total(column) %}sum(case when v.{{ column }} is not null then {{ weight }} end){% endmacro %}
with __ltr_means as (
    select
        v.system,
        {%- for column in columns %}
        sum({{ weight }} * v.{{ column }}) / nullif({{ total(column) }}, 0) as m{{ loop.index }}{{ "," if not loop.last }}
        {%- endfor %}
    from {{ values }} as v
    group by v.system
),
__ltr_curves as (
    select
        v.system,
        [{% for column in columns %}max(m.m{{ loop.index }}){{ ", " if not loop.last }}{% endfor %}] as means,
        [
            {%- for column in columns %}
            sqrt(sum(power({{ weight }} * (v.{{ column }} - m.m{{ loop.index }}), 2)) * {{ counted(column) }}
                / nullif({{ counted(column) }} - 1, 0)) / nullif({{ total(column) }}, 0){{ "," if not loop.last }}
            {%- endfor %}
        ] as errors,
        [{% for column in columns %}{{ counted(column) }}{{ ", " if not loop.last }}{% endfor %}] as counts
    from {{ values }} as v
    join __ltr_means as m
        on m.system is not distinct from v.system
    group by v.system
),
__ltr_points as (
    select
        c.system,
        unnest(c.means) as mean,
        unnest(c.errors) as error,
        unnest(c.counts) as queries,
        generate_subscripts(c.means, 1) as place
    from __ltr_curves as c
),
__ltr_quantiles as (
    {{ t_of_queries("__ltr_points", level) | indent(4) }}
)
select
    list(p.mean order by p.place asc) as means,
    list(p.mean - q.t * p.error order by p.place asc) as low,
    list(p.mean + q.t * p.error order by p.place asc) as high
from __ltr_points as p
left join __ltr_quantiles as q
    on q.queries = p.queries
group by p.system
order by list_position({{ systems }}, cast(p.system as varchar)) asc
