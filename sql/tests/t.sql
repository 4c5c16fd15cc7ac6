/*
summary = "Paired t test: is the mean difference zero? The default."
statistic = "mean difference * sqrt(queries) / sd"
too_few = "m.queries < 5"
reference = "Student 1908, Biometrika 6; for rankings: Urbano, Lima & Hanjalic 2019, SIGIR"
*/
select
    m.pair,
    m.t as statistic,
    m.df,
    case when m.ties = m.queries then 1e0 else u.p end as p,
    m.difference as direction
from __ltr_moments as m
join __ltr_tails as u
    on u.pair = m.pair
where m.queries > 0
