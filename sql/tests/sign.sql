/*
summary = "Sign test: does one system win more queries than the other? Ignores the size of the differences."
statistic = "queries where b is above a"
too_few = "power(2e0, 1 - m.above - m.below) > {{ level }}"
reference = "Arbuthnot 1710, Philosophical Transactions 27; Conover 1999, Practical Nonparametric Statistics"
*/
select
    m.pair,
    cast(m.above as double) as statistic,
    cast(null as double) as df,
    {{ sign_p("m.above", "m.below") }} as p,
    m.above - m.below as direction
from __ltr_moments as m
where m.queries > 0
