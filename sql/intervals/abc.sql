/*
summary = "ABC: approximation of BCa in closed form, without a seed. For skewed differences."
reference = "DiCiccio & Efron 1992, Biometrika 79"
*/
with {{ skewness() }},
__ltr_shifts as (
    select
        a.pair,
        c.level,
        a.mean,
        a.error,
        a.acceleration,
        a.acceleration - z.z as below,
        a.acceleration + z.z as above
    from __ltr_skewed as a
    join __ltr_coverages as c
        on c.pair = a.pair
    join (
        select
            u.level,
            {{ normal_quantile("u.u") }} as z
        from (
            select distinct
                c.level,
                1 - c.level / 2 as u
            from __ltr_coverages as c
        ) as u
    ) as z
        on z.level = c.level
)
select
    s.pair,
    s.level,
    s.mean + s.error * s.below / power(1 - s.acceleration * s.below, 2) as low,
    s.mean + s.error * s.above / power(1 - s.acceleration * s.above, 2) as high
from __ltr_shifts as s
