/*
severity = "error"
what = "a row of a run has no rank"
what_to_do = "remove the rows of documents that were not retrieved, or drop the column rank to rank by score"
reads = ["run"]
*/
select
    {{ count_and_first_rows(row_text("r", "query_id", "doc_id", "score_text")) }}
from __ltr_run_rows as r
where r.has_rank and (r.rank_text is null or isnan(try_cast(r.rank_text as double)))
