/*
severity = "error"
what = "a rank is below 1 or not finite"
what_to_do = "count ranks from 1: add 1 to ranks that count from 0"
reads = ["rankings", "run"]
*/
select
    {{ listed(shown("r", "query_id", "doc_id", "rank_text")) }}
from __ltr_run_rows as r
where r.rank < 1 or not isfinite(r.rank)
