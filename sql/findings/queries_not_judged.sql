/*
severity = "warning"
what = "queries of the run have no judgments: they are left out"
what_to_do = "nothing if they were never judged; otherwise compare their ids with those of the judgments"
reads = ["run"]
of_queries = true
*/
select
    {{ count_and_first_rows("'query_id=' || f.query_id") }}
from (
    select distinct r.query_id
    from __ltr_run_rows as r
    where r.query_id is not null
        and exists (from __ltr_grades as q where q.query_id is not null)
        and r.query_id not in (
            select q.query_id
            from __ltr_grades as q
            where q.query_id is not null
        )
) as f
