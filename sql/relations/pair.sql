/*
name = "pair"
summary = "Pair two runs: one row for each document of each query that either run retrieved, with its rank and score in both."
inputs = ["run_a", "run_b"]
reads = "query_id, doc_id, keys, and rank or score (rank if both exist); a duplicate document in a run is an error"
gives = "the keys, query_id, doc_id, rank_a, rank_b (NULL = not in that run), score_a, score_b (NULL also if the run has no column score)"
parameters = ["ties"]
[choices]
ties = ["docid_desc", "docid_asc", "docid_desc_float32", "row_order"]
[summaries]
ties = "tie-breaking rule for equal scores: 'docid_desc' sorts by descending doc_id in byte order (trec_eval), 'docid_asc' by ascending doc_id, 'docid_desc_float32' by descending doc_id after rounding scores to single precision (trec_eval 9), 'row_order' by the column row_order, ascending"
*/
with
{%- for name, query in ctes.items() %} {{ name }} as {{ inline if name.startswith("__ltr_given") }}(
    {{ query | indent(4) }}
),
{% endfor %} {{ ranked_run("run_a", has_rank.run_a, ties, has_score=has_score.run_a) }},
{{ ranked_run("run_b", has_rank.run_b, ties, has_score=has_score.run_b) }},
__ltr_pairs as (
    select
        {{ either_key("a", "b") }},
        coalesce(a.doc_id, b.doc_id) as doc_id,
        a.rank as rank_a,
        b.rank as rank_b,
        a.score as score_a,
        b.score as score_b
        {%- if reject_duplicates %},
        case when a.doc_id is null or b.doc_id is null then coalesce(a.doc_id, b.doc_id) end as __ltr_alone
        {%- endif %}
    from __ltr_run_a_ranked as a
    full join __ltr_run_b_ranked as b
        on {{ same_key("a", "b") }} and a.doc_id = b.doc_id
    {%- if keys_check("a") %}
    where (a.doc_id is null or {{ keys_check("a") }} and {{ bytewise_check("a.doc_id") }})
        and (b.doc_id is null or {{ keys_check("b") }} and {{ bytewise_check("b.doc_id") }})
    {%- endif %}
)
select
    {{ key_output("p") }},
    p.doc_id,
    p.rank_a,
    p.rank_b,
    p.score_a,
    p.score_b
from __ltr_pairs as p
{%- if reject_duplicates %}
{#- If a document of both runs appears twice in one of them, the join repeats the row of the other run. #}
where (
    select case
        when count(r.rank_a) > (select count(*) from {{ relations.run_a }} as r)
            or count(r.rank_b) > (select count(*) from {{ relations.run_b }} as r)
            or (
                select count(*)
                from (
                    select r.__ltr_alone
                    from __ltr_pairs as r
                    where r.__ltr_alone is not null
                    group by {{ key("r") }}, r.__ltr_alone
                    having count(*) > 1
                ) as r
            ) > 0
        then {{ reject_duplicate_document() }}
        else true
    end
    from __ltr_pairs as r
)
    and (
        select {{ no_null_ids("count(r.doc_id) = count(*)") }}
        from __ltr_pairs as r
    )
{%- endif %}
