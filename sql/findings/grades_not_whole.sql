/*
severity = "info"
what = "grades are not whole numbers: documents with a grade between 0 and 1 are not relevant for {{ threshold_matters }}, unless rel is set to that grade or below"
what_to_do = "set a threshold for these measures, such as AP(rel=0.5)"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows(row_text("q", "query_id", "doc_id", "relevance_text")) }}
from __ltr_grades as q
where q.relevance <> floor(q.relevance)
    and (select max(t.relevance) from __ltr_grades as t) >= 1
