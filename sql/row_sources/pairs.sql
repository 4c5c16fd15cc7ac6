/*
summary = """
One row per document in the top k of both rankings. `inversions` counts the documents above it in ranking a and below it
in ranking b, `above_b` the documents above it in ranking b."""
input = "pairs"
*/
{%- set of = "pairs" ~ suffix -%}
{{ inversions_in_both(of, k, windows) }},
{{ name }} as (
    {{ summed_by_list(of, values) | indent(4) }}
)
