/*
severity = "info"
what = "grades are negative: such documents are not relevant, and count as unjudged for {{ negative_matters }}"
what_to_do = "nothing if they mark documents that were pooled but not judged, as in TREC; otherwise shift the grades"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows(row_text("q", "query_id", "doc_id", "relevance_text")) }}
from __ltr_grades as q
where q.relevance < 0
