{#- Add the rows of totals to a table of values: those of all segments, without their keys. A query of a total is named by its segment, too. -#}
(
    with __ltr_each as {{ materialized }}(
        select * from {{ relation }} as v
    )
    select *, cast(0 as bigint) as {{ total }} from __ltr_each as v
    {{- levels }}
)
