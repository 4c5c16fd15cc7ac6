/*
summary = """
The rows of `positioned_pairs` with `weight_a` and `weight_b`, the sums of 1 / position_a and 1 / position_b over the
documents inverted with this one."""
input = "pairs"
*/
{%- set of = "weighted_pairs" ~ suffix -%}
__ltr_compared_{{ of }} as (
    select
        {{ key("r") }},
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where {{ in_both(k, "r") }}
),
{{ with_inversions(of, windows, positions=true, weights=true) }},
{{ name }} as (
    {{ summed_by_list(of, values) | indent(4) }}
)
