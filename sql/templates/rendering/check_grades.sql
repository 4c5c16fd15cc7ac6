{#- Select the valid judgments for check.sql, without duplicates. -#}
select
    q.query_id,
    q.doc_id,
    max(q.relevance) as relevance
from __ltr_grades as q
where q.query_id is not null and q.doc_id is not null and not coalesce(isinf(q.relevance), false)
group by q.query_id, q.doc_id
