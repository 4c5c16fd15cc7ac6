/*
summary = """
The rows of `pairs` with the position of the document in each ranking, `position_a` and `position_b`. Documents tied in
one ranking are ordered by the other."""
input = "pairs"
*/
{%- set of = "positioned_pairs" ~ suffix -%}
{{ inversions_in_both(of, k, windows, positions=true) }},
{{ name }} as (
    {{ summed_by_list(of, values) | indent(4) }}
)
