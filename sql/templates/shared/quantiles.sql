{#- The t quantile of each number of queries above 1 of a relation: queries, t. `level` is SQL. -#}
{%- macro t_of_queries(relation, level) -%}
select
    d.queries,
    {{ t_quantile("d.alpha", "d.df") }} as t
from (
    select distinct
        m.queries,
        cast(m.queries - 1 as double) as df,
        {{ level }} as alpha
    from {{ relation }} as m
    where m.queries > 1
) as d
{%- endmacro -%}
