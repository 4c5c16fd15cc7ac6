{#- Add the interval of each mean to the means of measures. `means` is their query, and `intervals` that of their intervals. -#}
with __ltr_averages as (
    {{ means | indent(4) }}
),
__ltr_intervals as (
    {{ intervals | indent(4) }}
),
__ltr_by_measure as (
    select
        {{ keys }}count(*) as __ltr_rows{{ by_measure }}
    from __ltr_intervals as i{{ group_by }}
)
select
    a.*{{ corrected }}{{ outputs }}
from __ltr_averages as a
left join __ltr_by_measure as m
    on true{{ same_keys }}
