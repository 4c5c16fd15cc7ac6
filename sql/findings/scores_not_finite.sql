/*
severity = "error"
what = "a score is NULL, NaN or infinite"
what_to_do = "give the document a finite score. If it was not retrieved, leave it out of the run. A table with grades then needs run and judgments as two tables (qrels): without the row of a relevant document, recall would rise"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows(row_text("r", "query_id", "doc_id", "score_text")) }}
from __ltr_run_rows as r
where not r.has_rank and list_contains(r.names, 'score')
    and (r.score_text is null or not isfinite(r.score))
