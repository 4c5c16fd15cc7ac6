/*
summary = "BCa: percentile bootstrap, corrected for bias and skewness. ABC approximates it without random numbers."
reference = "Efron 1987, Journal of the American Statistical Association 82"
*/
with {% include "rendering/comparisons/resampled_pairs.sql" %},
{{ skewness() }},
__ltr_shares as (
    select
        r.vector as pair,
        list(r.mean order by r.mean asc) as means,
        max(a.acceleration) as acceleration,
        avg(case when r.mean < a.mean - a.last_bits then 1e0 when r.mean <= a.mean + a.last_bits then 0.5e0 else 0e0 end) as below
    from __ltr_resampled as r
    join __ltr_skewed as a
        on a.pair = r.vector
    group by r.vector
),
__ltr_biased as (
    select
        s.pair,
        s.means,
        s.acceleration,
        {{ normal_quantile("s.below") }} as bias
    from __ltr_shares as s
    where s.below > 0 and s.below < 1
),
__ltr_shifted as (
    select
        b.pair,
        b.means,
        b.bias + (b.bias + z.z) / (1 - b.acceleration * (b.bias + z.z)) as z,
        z.side
    from __ltr_biased as b
    cross join (
        select
            u.side,
            {{ normal_quantile("u.u") }} as z
        from (values ('low', {{ interval_level }} / 2), ('high', 1 - {{ interval_level }} / 2)) as u(side, u)
    ) as z
),
__ltr_positions as (
    select
        s.pair,
        s.means,
        s.side,
        (1 - {{ normal_upper("s.z") }}) * (len(s.means) - 1) as at
    from __ltr_shifted as s
),
__ltr_bounds as (
    select
        p.pair,
        p.side,
        p.means[cast(floor(p.at) as bigint) + 1]
            + (p.at - floor(p.at)) * (p.means[least(cast(floor(p.at) as bigint) + 2, len(p.means))] - p.means[cast(floor(p.at) as bigint) + 1]) as bound
    from __ltr_positions as p
)
select
    b.pair,
    max(case when b.side = 'low' then b.bound end) as low,
    max(case when b.side = 'high' then b.bound end) as high
from __ltr_bounds as b
group by b.pair
