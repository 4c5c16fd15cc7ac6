/*
summary = "Confidence interval of the mean difference by Student's t distribution. The default."
reference = "Student 1908, Biometrika 6"
*/
select
    m.pair,
    c.level,
    m.difference - c.t * m.spread / sqrt(m.queries) as low,
    m.difference + c.t * m.spread / sqrt(m.queries) as high
from __ltr_moments as m
join __ltr_coverages as c
    on c.pair = m.pair
