/*
severity = "error"
what = "a rank, score or grade is not a number"
what_to_do = "if texts are grades, pass their numbers, such as grades={'good': 2}; correct wrong values. Keep the rows: a document without a judgment counts as not relevant"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    select
        {{ row_text("r", "query_id", "doc_id", "rank_text", "score_text") }} as row_text
    from __ltr_run_rows as r
    where (r.rank is null and r.rank_text is not null) or (r.score is null and r.score_text is not null)
    union all
    select
        {{ row_text("q", "query_id", "doc_id", "relevance_text") }} as row_text
    from __ltr_grades as q
    where q.relevance is null and q.relevance_text is not null
) as f
