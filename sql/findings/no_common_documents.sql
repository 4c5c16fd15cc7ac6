/*
severity = "error"
what = "no document of the run is judged for any query"
what_to_do = "compare the ids of the run and the judgments: types, blanks, leading zeros, upper and lower case; check that run and judgments are from the same collection"
reads = ["run"]
*/
select
    case when count(*) > 0 then 1 else 0 end as how_many,
    'the run has ' || {{ sample_ids("r.doc_id") }} || '; the judgments have ' || (select {{ sample_ids("q.doc_id") }} from __ltr_grades as q) as first_rows
from __ltr_run_rows as r
where r.doc_id is not null
    and exists (from __ltr_grades as q where q.doc_id is not null)
    and not exists (
        select 1
        from __ltr_run_rows as s
        where s.doc_id in (
            select q.doc_id
            from __ltr_grades as q
        )
    )
