/*
severity = "info"
what = "queries have no relevant document: most measures are 0 for them, which counts in the mean"
what_to_do = "remove such queries from the judgments if they should not count"
reads = ["rankings", "run"]
*/
select
    {{ count_queries_and_first_rows() }}
from (
    select
        q.keys,
        q.query_id
    from __ltr_grades as q
    where list_contains(q.names, 'relevance')
    group by q.keys, q.query_id
    having coalesce(max(q.relevance), 0) <= 0
) as f
