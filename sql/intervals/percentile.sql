/*
summary = "Percentile bootstrap: quantiles of the mean difference over random samples of the queries."
reference = "Efron & Tibshirani 1993, An Introduction to the Bootstrap"
*/
with {% include "entry_points/resampled_pairs.sql" %}
select
    r.pair,
    quantile_cont(r.mean, {{ interval_alpha }} / 2) as low,
    quantile_cont(r.mean, 1 - {{ interval_alpha }} / 2) as high
from (
    select
        s.pair,
        unnest(s.means) as mean
    from __ltr_resampled as s
) as r
group by r.pair
