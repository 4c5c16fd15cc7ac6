/*
summary = "Compare the clicks of the same documents at rank 1 and at the other rank. NULL if no document was shown at both, or if these documents have no click at rank 1."
formula = "sum over documents of weight * click share at the rank / the same sum at rank 1"
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
