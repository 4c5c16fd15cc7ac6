/*
summary = "Percentile bootstrap: quantiles of the mean difference over random samples of the queries."
reference = "Efron & Tibshirani 1993, An Introduction to the Bootstrap"
*/
with {% include "rendering/draws/resampled_pairs.sql" %},
__ltr_sorted as (
    select
        r.vector as pair,
        list(r.mean order by r.mean asc) as means
    from __ltr_resampled as r
    group by r.vector
),
__ltr_positions as (
    select
        s.pair,
        s.means,
        c.level,
        c.level / 2 * (len(s.means) - 1) as below,
        (1 - c.level / 2) * (len(s.means) - 1) as above
    from __ltr_sorted as s
    join __ltr_coverages as c
        on c.pair = s.pair
)
select
    p.pair,
    p.level,
    {{ interpolated("p.means", "p.below") }} as low,
    {{ interpolated("p.means", "p.above") }} as high
from __ltr_positions as p
