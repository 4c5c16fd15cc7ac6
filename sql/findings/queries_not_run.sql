/*
severity = "warning"
what = "judged queries are not in the run: they count as 0"
what_to_do = "nothing if the system returned nothing for them. {{ of_a_key }}If they were not asked, pass those that were as asked=, or missing='skip' to leave them out, as trec_eval 9 does without -c"
reads = ["run"]
of_queries = true
*/
select
    {{ count_queries_and_first_rows() }}
from (
    select
        s.keys,
        q.query_id
    from (
        select distinct r.keys
        from __ltr_run_rows as r
    ) as s
    cross join (
        select distinct j.query_id
        from __ltr_grades as j
    ) as q
    left join (
        select distinct
            t.keys,
            t.query_id
        from __ltr_run_rows as t
    ) as n
        on n.keys is not distinct from s.keys and n.query_id = q.query_id
    where n.query_id is null and q.query_id is not null
) as f
