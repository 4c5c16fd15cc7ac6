/*
severity = "error"
what = "a rank is below 1 or above 1,000,000,000"
what_to_do = "count ranks from 1: for ranks that count from 0, pass ranks_from=0"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows(row_text("r", "query_id", "doc_id", "rank_text")) }}
from __ltr_run_rows as r
where {{ out_of_range("r.rank") }}
