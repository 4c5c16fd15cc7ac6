/*
summary = "No correction: p_adjusted equals p. For a single comparison that was chosen in advance."
reference = "Rothman 1990, Epidemiology 1"
*/
select
    r.pair,
    r.p as p_adjusted,
    cast(null as double) as decisive_t
from __ltr_ranked as r
