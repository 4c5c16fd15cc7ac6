/*
summary = "Confidence interval of the mean difference by Student's t distribution. The default."
reference = "Student 1908, Biometrika 6"
*/
select
    m.pair,
    m.difference - q.t * m.spread / sqrt(m.queries) as low,
    m.difference + q.t * m.spread / sqrt(m.queries) as high
from __ltr_moments as m
join __ltr_quantiles as q
    on q.df = m.df and q.alpha = {{ interval_level }}
