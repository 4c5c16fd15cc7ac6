/*
summary = "One row per document in the top k of both rankings, with its rank in each."
input = "pairs"
*/
__ltr_shared{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank_a,
        r.rank_b{{ windows | indent(8) }}
    from __ltr_paired as r
    where {{ in_both(k, "r") }}
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_shared{{ suffix }} as d
    group by {{ key("d") }}
)
