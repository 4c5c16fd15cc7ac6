/*
name = "pair_with_ideal"
summary = "Pair a ranking with its ideal order: the judged documents of the query by descending relevance, where equal grades share a rank."
inputs = ["rankings"]
reads = "query_id, rank, relevance, keys; unjudged documents are left out"
gives = "the other columns of the input, rank_a (the rank), rank_b (1 + number of judged documents with a higher grade)"
parameters = []
*/
with __ltr_rankings as (
    select
        {{ ranked_columns("j") | indent(8) }}
    from {{ checked_relation(relations.rankings, "rank", "relevance") }} as j
)
select
    {{ kept_columns("r", "rank", "rank_a", "rank_b") }},
    r.rank as rank_a,
    {{ shared_ideal_rank() }} as rank_b
from __ltr_rankings as r
where r.relevance is not null{% if keys_check("r") %} and {{ keys_check("r") }}{% endif %}
