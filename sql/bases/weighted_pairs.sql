{#- The same with `weight_a` and `weight_b` of the documents that are its inversions: the sums of 1 / place_a and 1 / place_b. -#}
{%- set of = "weighted_pairs" ~ suffix -%}
__ltr_compared_{{ of }} as (
    select
        {{ key("r") }},
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where {{ in_both(k, "r") }}
),
{{ with_inversions(of, windows, places=true, weights=true) }},
{{ name }} as (
    {{ summed_by_list(of, values) | indent(4) }}
)
