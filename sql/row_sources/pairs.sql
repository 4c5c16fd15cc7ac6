/*
summary = """
One row per document in the top k of both rankings. `inversions` counts the documents above it in ranking a and below it
in ranking b, `above_b` the documents above it in ranking b."""
input = "pairs"
*/
{%- set of = "pairs" ~ suffix -%}
__ltr_compared_{{ of }} as (
    select
        {{ key("r") }},
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where {{ in_both(k, "r") }}
),
{{ with_inversions(of, windows) }},
{{ name }} as (
    {{ summed_by_list(of, values) | indent(4) }}
)
