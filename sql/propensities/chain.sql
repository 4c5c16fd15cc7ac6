/*
summary = "Compare the clicks of the same documents at each rank and the next, and multiply the ratios. The propensities of all ranks deeper than r are NULL if ranks r and r + 1 share no document, or if the shared documents have no click at rank r."
formula = "product over r = 1 to rank - 1 of (sum of weight * click share at rank r + 1) / (sum of weight * click share at rank r), each over the documents shown at both ranks"
reference = "Agarwal et al. 2019, WSDM (adjacent chain)"
*/
{{ click_counts() }},
{{ shown_at_both("b.rank - 1", "coalesce(" ~ weight ~ ", 'documents')") }},
__ltr_chained as (
    select
        {{ group_columns("b") }}b.rank,
        count(b.ratio) over ({{ partition_by_group("b") }} order by b.rank asc nulls last rows between unbounded preceding and current row) as links,
        min(b.ratio) over ({{ partition_by_group("b") }} order by b.rank asc nulls last rows between unbounded preceding and current row) as smallest,
        sum(ln(case when b.ratio > 0 then b.ratio end))
            over ({{ partition_by_group("b") }} order by b.rank asc nulls last rows between unbounded preceding and current row) as log_product
    from __ltr_both as b
),
__ltr_propensities as (
    select
        {{ group_columns("b") }}b.rank,
        case when b.links = b.rank - 1 then case when b.smallest = 0 then 0e0 else exp(b.log_product) end end as propensity
    from __ltr_chained as b
    union all
    select
        {{ group_columns("c") }}c.rank,
        max(1e0) as propensity
    from __ltr_counts as c
    where c.rank = 1
    {{ group_by_group("c", "c.rank") }}
)
