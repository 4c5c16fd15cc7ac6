/*
summary = "Compare the clicks at each rank with the clicks of the same documents at rank 1. NULL if no document was shown at both ranks, or if these documents have no click at rank 1."
formula = "(sum of weight * click share at the rank) / (sum of weight * click share at rank 1), each over the documents shown at both ranks"
reference = "Agarwal et al. 2019, WSDM (intervention harvesting)"
*/
{{ click_counts() }},
{{ shown_at_both("1", "coalesce(" ~ weight ~ ", 'documents')") }},
__ltr_propensities as (
    select
        {{ group_columns("b") }}b.rank,
        b.ratio as propensity
    from __ltr_both as b
)
