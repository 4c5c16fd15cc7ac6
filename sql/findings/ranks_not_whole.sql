/*
severity = "error"
what = "a rank is not a whole number"
what_to_do = "rank by row_number(), not by average ranks; or pass scores and choose a tie-breaking rule"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows(row_text("r", "query_id", "doc_id", "rank_text")) }}
from __ltr_run_rows as r
where r.rank <> floor(r.rank)
