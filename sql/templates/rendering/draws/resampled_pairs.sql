{#- Create the CTE __ltr_resampled: the mean difference of each pair in each replicate of the bootstrap. -#}
__ltr_drawable as materialized (
    select
        d.pair as vector,
        d.d as value,
        row_number() over (partition by d.pair order by d.query asc) as position,
        m.queries as n
    from __ltr_differences as d
    join __ltr_moments as m
        on m.pair = d.pair and m.sd > 0
),
{% include "rendering/draws/bootstrap.sql" %}
