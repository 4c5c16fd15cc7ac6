{#- Create the CTE __ltr_resampled: the sorted means of the differences of each pair over the bootstrap samples. -#}
__ltr_paired as materialized (
    select
        d.pair,
        count(*) as n,
        list(d.d order by d.query) as numbers
    from __ltr_differences as d
    join __ltr_moments as m
        on m.pair = d.pair and m.sd > 0
    group by d.pair
),
__ltr_sizes as (
    select distinct cast(p.n as ubigint) as n
    from __ltr_paired as p
),
{% include "entry_points/bootstrap.sql" %},
__ltr_resampled as materialized (
    select
        p.pair,
        list_sort(list(list_sum(list_select(p.numbers, d.positions)) / p.n)) as means
    from __ltr_paired as p
    join __ltr_draws as d
        on d.n = p.n
    group by p.pair
)
