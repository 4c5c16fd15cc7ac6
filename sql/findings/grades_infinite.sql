/*
severity = "error"
what = "a grade is infinite"
what_to_do = "give the document a finite grade; if it is unjudged, set the grade to NULL or remove the row"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows(row_text("q", "query_id", "doc_id", "relevance_text")) }}
from __ltr_grades as q
where isinf(q.relevance)
