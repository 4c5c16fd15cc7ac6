/*
summary = """
One row per document in the top k of either ranking, with its `inversions` as in `pairs`. Documents that the top
k of a ranking lacks tie at its end."""
input = "pairs"
*/
{%- set of = "all_pairs" ~ suffix -%}
__ltr_compared_{{ of }} as (
    select
        {{ key("r") }},
        coalesce(r.rank_a, 1e300) as rank_a,
        coalesce(r.rank_b, 1e300) as rank_b
    from (
        {{ truncated_ranks(k) | indent(8) }}
    ) as r
    where r.rank_a is not null or r.rank_b is not null
),
{{ with_inversions(of, windows) }},
{{ name }} as (
    {{ summed_by_list(of, values) | indent(4) }}
)
