/*
summary = "Benjamini and Hochberg: controls the expected share of false differences among those found. For screening many systems."
reference = "Benjamini & Hochberg 1995, Journal of the Royal Statistical Society B 57"
*/
select
    r.pair,
    least(1e0, min(r.p * r.tests / r.place) over (partition by r.family order by r.place asc rows between current row and unbounded following)) as p_adjusted,
    cast(null as double) as decisive_t
from __ltr_ranked as r
