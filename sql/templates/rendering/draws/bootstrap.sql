{#- Create the CTE __ltr_resampled: the mean of each vector in each bootstrap replicate, weighted if there are weights. A vector
    is the list of values of a system or of a pair. The including template must create __ltr_drawable: the values of vectors, numbered
    from 1 to n by `position`. Positions without a value do not count. -#}
{% include "rendering/draws/draws.sql" %},
__ltr_resampled as materialized (
    select
        v.vector,
        d.replicate,
        {{ if_weighted("sum(v.weight * v.value * d.times) / sum(v.weight * d.times)") }}{{ if_unweighted("sum(v.value * d.times) / sum(d.times)") }} as mean
    from __ltr_draws as d
    join __ltr_drawable as v
        on v.n = d.n and v.position = d.position
    group by v.vector, d.replicate
)
