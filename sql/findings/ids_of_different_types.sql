/*
severity = "warning"
what = "ids are text in one input and not in the other"
what_to_do = "cast both to varchar; 7 and '007' are different ids"
reads = ["run"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    select
        n.name || ': ' || r.kind || ' in the run, ' || q.kind || ' in the judgments' as row_text
    from (values ('query_id'), ('doc_id')) as n(name)
    cross join lateral (
        select regexp_extract(s.types, n.name || '"? ([A-Z]+)', 1, 'i') as kind
        from (
            select any_value(t.types) as types
            from __ltr_run_rows as t
        ) as s
    ) as r
    cross join lateral (
        select regexp_extract(s.types, n.name || '"? ([A-Z]+)', 1, 'i') as kind
        from (
            select any_value(t.types) as types
            from __ltr_grades as t
        ) as s
    ) as q
    where r.kind <> '' and q.kind <> '' and (r.kind in ('VARCHAR', 'ENUM')) <> (q.kind in ('VARCHAR', 'ENUM'))
) as f
