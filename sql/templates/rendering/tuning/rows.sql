{#- List the grid, and then what the tuned fusion is worth against each other system. `table` is a relation of the grid, and `worth`
    one with the columns against, mean, queries, difference, low, high, p_adjusted and verdict. -#}
{%- set columns = ["method", "norm", "k", "weights", "mean", "low", "high", "queries", "chosen", "folds"] -%}
select
    {%- for column in columns %}
    r.{{ column }},
    {%- endfor %}
    r.against,
    r.difference,
    r.difference_low,
    r.difference_high,
    r.p_adjusted,
    r.verdict
from (
    select
        t.configuration as place,
        {%- for column in columns %}
        t.{{ column }},
        {%- endfor %}
        cast(null as {{ text_type }}) as against,
        cast(null as double) as difference,
        cast(null as double) as difference_low,
        cast(null as double) as difference_high,
        cast(null as double) as p_adjusted,
        cast(null as {{ text_type }}) as verdict
    from {{ table }} as t
    union all
    select
        case when w.against = '{{ equal }}' then 1e9 else 2e9 end,
        null,
        null,
        null,
        null,
        w.mean,
        null,
        null,
        w.queries,
        null,
        null,
        w.against,
        w.difference,
        w.low,
        w.high,
        w.p_adjusted,
        w.verdict
    from {{ worth }} as w
) as r
order by r.place asc, r.against asc
