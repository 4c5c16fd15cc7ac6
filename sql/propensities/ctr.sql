/*
summary = "Click-through rate of each rank, divided by that of rank 1. NULL without a click at rank 1. Unbiased only if the results were shown in random order."
formula = "(clicks at the rank / views at the rank) / (clicks at rank 1 / views at rank 1)"
reference = "Wang et al. 2016, SIGIR; Joachims, Swaminathan & Schnabel 2017, WSDM"
*/
{{ click_shares() }},
__ltr_propensities as (
    select
        {{ group_columns("s") }}s.rank,
        s.share / nullif(f.share, 0) as propensity
    from __ltr_shares as s
    join __ltr_shares as f
        on f.rank = 1 and {{ same_group("f", "s") }}
)
