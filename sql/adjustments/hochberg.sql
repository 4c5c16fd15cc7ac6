/*
summary = "Hochberg: controls the chance of any false difference if the tests are independent or positively dependent."
reference = "Hochberg 1988, Biometrika 75"
*/
select
    r.pair,
    least(1e0,
        min(r.p * (r.tests - r.place + 1)) over (partition by r.family order by r.place asc rows between current row and unbounded following)) as p_adjusted,
    cast(null as double) as decisive_t
from __ltr_ranked as r
