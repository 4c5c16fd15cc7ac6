/*
summary = """
One row per document of a query. The `num_tied` documents at one rank are spread over the positions from that rank on, in
an arbitrary order. `rank` is the position, and `above_in_tie` counts the tied documents placed above it. `relevant_tied`
and `relevant_above` count the relevant documents at the shared rank and above it."""
input = "rankings"
rows = ["all"]
*/
{%- set least = "null" if rel is none else rel -%}
__ltr_tied_positions{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank,
        r.relevance,
        r.above_in_tie,
        r.num_tied,
        r.relevant_tied,
        r.relevant_above{{ windows | indent(8) }}
    from (
        select
            {{ key("t") }},
            t.rank + t.above_in_tie as rank,
            t.rank as shared_rank,
            t.relevance,
            t.num_ret,
            t.above_in_tie,
            t.num_tied,
            t.relevant_tied,
            t.relevant_through_rank - t.relevant_tied as relevant_above
        from (
            select
                {{ key("r") }},
                r.rank,
                r.relevance,
                r.num_ret,
                {{ above_in_tie() }} as above_in_tie,
                {{ documents_at_rank() }} as num_tied,
                {{ relevant_at_rank(least) }} as relevant_tied,
                {{ relevant_through_rank(least) }} as relevant_through_rank
            from {{ documents }} as r
        ) as t
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_tied_positions{{ suffix }} as d
    group by {{ key("d") }}
    having {{ validate_ranks("d.rank", "d.relevance", "true") | indent(4) }}
)
