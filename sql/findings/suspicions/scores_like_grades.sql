/*
severity = "warning"
what = "scores are small whole numbers, and grades differ like scores: run and judgments, or scores and labels, may be swapped"
what_to_do = "nothing if they are not swapped; otherwise exchange the two arguments"
reads = ["run"]
*/
select
    case
        when count(*) >= 8
            and count(case when r.score >= 0 and r.score <= 10 and r.score = floor(r.score) then 1 end) = count(*)
            and count(distinct r.score) between 2 and count(*) / 2
            and (
                {#- Scores differ from each other, unlike grades. #}
                select count(case when q.relevance <> floor(q.relevance) then 1 end) > 0
                    and count(distinct q.relevance) > count(*) / 2
                from __ltr_grades as q
            )
        then count(*)
        else 0
    end as how_many,
    list_aggregate(min({{ row_text("r", "query_id", "doc_id", "score_text") }}, 3), 'string_agg', '; ') as first_rows
from __ltr_run_rows as r
where not r.has_rank
