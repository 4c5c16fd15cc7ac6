/*
severity = "error"
what = "a grade is infinite"
what_to_do = "give it a finite grade, or NULL or no row if the document was not judged"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows(row_text("q", "query_id", "doc_id", "relevance_text")) }}
from __ltr_grades as q
where isinf(q.relevance)
