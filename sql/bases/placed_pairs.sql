{#- The same with `place_a` and `place_b`: its position in each ranking, where documents that tie are ordered by the other. -#}
{%- set of = "placed_pairs" ~ suffix -%}
__ltr_compared_{{ of }} as (
    select
        {{ key("r") }},
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where {{ in_both(k, "r") }}
),
{{ with_inversions(of, windows, places=true) }},
{{ name }} as (
    {{ summed_by_list(of, values) | indent(4) }}
)
