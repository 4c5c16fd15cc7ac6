/*
summary = """
The rows of `positioned_pairs` with `weight_a` and `weight_b`, the sums of 1 / position_a and 1 / position_b over the
documents inverted with this one."""
input = "pairs"
*/
{%- set of = "weighted_pairs" ~ suffix -%}
{{ inversions_in_both(of, k, windows, positions=true, weights=true) }},
{{ name }} as (
    {{ summed_by_list(of, values) | indent(4) }}
)
