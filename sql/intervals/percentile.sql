/*
summary = "Percentile bootstrap: quantiles of the mean difference over random samples of the queries."
reference = "Efron & Tibshirani 1993, An Introduction to the Bootstrap"
*/
with {% include "rendering/comparisons/resampled_pairs.sql" %}
select
    r.vector as pair,
    quantile_cont(r.mean, {{ interval_level }} / 2) as low,
    quantile_cont(r.mean, 1 - {{ interval_level }} / 2) as high
from __ltr_resampled as r
group by r.vector
