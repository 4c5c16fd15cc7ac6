/*
summary = "Holm: controls the chance of any false difference, also for dependent tests. The default."
reference = "Holm 1979, Scandinavian Journal of Statistics 6"
*/
select
    r.pair,
    least(1e0,
        max(r.p * (r.tests - r.place + 1)) over (partition by r.family order by r.place asc rows between unbounded preceding and current row)) as p_adjusted,
    cast(null as double) as decisive_t
from __ltr_ranked as r
