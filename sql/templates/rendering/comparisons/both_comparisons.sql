{#- Return the comparisons by measures over queries and over runs in one table, in the order of the measures. -#}
select b.* exclude (__ltr_row)
from (
    select
        *,
        row_number() over () as __ltr_row
    from (
        {{ of_queries | indent(8) }}
    )
    union all by name
    select
        *,
        row_number() over () as __ltr_row
    from (
        {{ of_runs | indent(8) }}
    )
) as b
order by {% for name in strata %}b.{{ name }} asc, {% endfor %}list_position({{ measures }}, b.measure) asc, b.__ltr_row asc
