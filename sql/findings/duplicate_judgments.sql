/*
severity = "error"
what = "a document is judged more than once for one query"
what_to_do = "keep one grade, such as max(relevance), grouped by query_id, doc_id (and subtopic), or pass qrels_duplicates='max'"
reads = ["run"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    select
        {{ row_text("q", "query_id", "doc_id", "subtopic") }} || ' (grades ' || list_aggregate(min(q.relevance_text, 3), 'string_agg', ', ') || ')' as row_text
    from __ltr_grades as q
    where q.query_id is not null and q.doc_id is not null
    group by q.keys, q.query_id, q.doc_id, q.subtopic
    having count(*) > 1
) as f
