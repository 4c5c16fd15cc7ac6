/*
name = "rank_by_score"
summary = "Rank the rows of each query by descending score."
inputs = ["scored"]
reads = "query_id, score, keys, and the column that the tie-breaking rule needs: doc_id, relevance, row_order or rank"
gives = "the columns of the input, and rank"
parameters = ["ties"]
*/
with __ltr_scored as (
    select
        {{ scored_columns("j", ties) | indent(8) }}
    from {{ run_relation(relations.scored, "score", "relevance", "row_order", "rank") }} as j
)
select
    {{ kept_columns("s", "rank") }},
    {{ rank_by_score(ties) | indent(4) }} as rank
from __ltr_scored as s
where {{ validate_score_of("s") if ties is call_time else validate_score(row("s") ~ ".score", finite=finite_scores) }}
{%- if ties is call_time %}
    and {{ keys_check("s") }}
    and {{ bytewise_check("coalesce(*columns(lambda c: lower(c) in ('doc_id', '__ltr_none')))") }}
{%- endif %}
{%- if ties is call_time or ties in ["row_order", "rank"] %}
    and {{ validate_tie_column(row("s"), "s.__ltr_present", ties) | indent(4) }}
{%- endif %}
window __ltr_ranking_order as (
    partition by {{ key("s") }}
    order by
        {{ ranking_order(row("s"), ties, "s") | indent(8) }}
)
