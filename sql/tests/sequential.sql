/*
summary = "Sequential test: is the mean difference zero, in a test that may be looked at after every new query? Needs planned."
statistic = "mean difference * sqrt(queries) / sd"
too_few = "m.queries < 50"
reference = "Robbins 1970, Annals of Mathematical Statistics 41; Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, Annals of Statistics 52"
*/
select
    m.pair,
    m.t as statistic,
    cast(null as double) as df,
    case when m.ties = m.queries then 1e0 else {{ sequential_p("m.t", "m.information") }} end as p,
    m.difference as direction
from __ltr_moments as m
where m.queries > 0
