/*
severity = "error"
what = "no query of the run is judged"
what_to_do = "compare the ids of the run and the judgments: types, blanks, leading zeros, upper and lower case; check that run and judgments are for the same topics"
reads = ["run"]
of_queries = true
*/
select
    case when count(*) > 0 then 1 else 0 end as how_many,
    'the run has ' || {{ sample_ids("r.query_id") }} || '; the judgments have ' || (select {{ sample_ids("q.query_id") }} from __ltr_grades as q) as first_rows
from __ltr_run_rows as r
where r.query_id is not null
    and exists (from __ltr_grades as q where q.query_id is not null)
    and not exists (
        select 1
        from __ltr_run_rows as s
        where s.query_id in (
            select q.query_id
            from __ltr_grades as q
        )
    )
