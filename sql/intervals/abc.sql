/*
summary = "ABC: approximation of BCa in closed form, without a seed. For skewed differences."
reference = "DiCiccio & Efron 1992, Biometrika 79"
*/
with {{ skewness() }},
__ltr_shifts as (
    select
        a.pair,
        a.mean,
        a.error,
        a.acceleration,
        a.acceleration - z.z as below,
        a.acceleration + z.z as above
    from __ltr_skewed as a
    cross join (
        select {{ normal_quantile("u.u") }} as z
        from (select 1 - {{ interval_level }} / 2 as u) as u
    ) as z
)
select
    s.pair,
    s.mean + s.error * s.below / power(1 - s.acceleration * s.below, 2) as low,
    s.mean + s.error * s.above / power(1 - s.acceleration * s.above, 2) as high
from __ltr_shifts as s
