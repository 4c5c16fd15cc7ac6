/*
summary = "No correction: p_adjusted is p. For a single comparison that was chosen before."
reference = "Rothman 1990, Epidemiology 1"
*/
select
    r.pair,
    r.p as p_adjusted
from __ltr_ranked as r
