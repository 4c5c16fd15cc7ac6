/*
summary = "BCa: percentile bootstrap, corrected for bias and skewness. ABC approximates it without random numbers."
reference = "Efron 1987, Journal of the American Statistical Association 82"
*/
with {% include "rendering/draws/resampled_pairs.sql" %},
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
        c.level,
        b.bias + (b.bias + z.z) / (1 - b.acceleration * (b.bias + z.z)) as z,
        z.side
    from __ltr_biased as b
    join __ltr_coverages as c
        on c.pair = b.pair
    join (
        select
            u.level,
            u.side,
            {{ normal_quantile("u.u") }} as z
        from (
            select distinct
                c.level,
                s.side,
                case when s.side = 'low' then c.level / 2 else 1 - c.level / 2 end as u
            from __ltr_coverages as c
            cross join (values ('low'), ('high')) as s(side)
        ) as u
    ) as z
        on z.level = c.level
),
__ltr_positions as (
    select
        s.pair,
        s.means,
        s.level,
        s.side,
        (1 - {{ normal_upper("s.z") }}) * (len(s.means) - 1) as at
    from __ltr_shifted as s
),
__ltr_bounds as (
    select
        p.pair,
        p.level,
        p.side,
        {{ interpolated("p.means", "p.at") }} as bound
    from __ltr_positions as p
)
select
    b.pair,
    b.level,
    max(case when b.side = 'low' then b.bound end) as low,
    max(case when b.side = 'high' then b.bound end) as high
from __ltr_bounds as b
group by b.pair, b.level
