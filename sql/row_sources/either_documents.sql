/*
summary = """
One row per document in the top k of either ranking, with its rank in each (NULL outside the top k). `lower_rank` is the
larger number of the two ranks."""
input = "pairs"
*/
__ltr_lists{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank_a,
        r.rank_b,
        case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end as lower_rank{{ windows | indent(8) }}
    from (
        {{ truncated_ranks(k) | indent(8) }}
    ) as r
    where r.rank_a is not null or r.rank_b is not null
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_lists{{ suffix }} as d
    group by {{ key("d") }}
)
