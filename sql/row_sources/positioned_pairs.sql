/*
summary = """
The rows of `pairs` with the position of the document in each ranking, `position_a` and `position_b`. Documents tied in
one ranking are ordered by the other."""
input = "pairs"
*/
{%- set of = "positioned_pairs" ~ suffix -%}
__ltr_compared_{{ of }} as (
    select
        {{ key("r") }},
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where {{ in_both(k, "r") }}
),
{{ with_inversions(of, windows, positions=true) }},
{{ name }} as (
    {{ summed_by_list(of, values) | indent(4) }}
)
