/*
summary = "Bonferroni: multiplies p by the number of tests. Controls the chance of any false difference, with less power than Holm."
reference = "Dunn 1961, Journal of the American Statistical Association 56"
*/
select
    r.pair,
    least(1e0, r.p * r.tests) as p_adjusted,
    cast(null as double) as decisive_t
from __ltr_ranked as r
