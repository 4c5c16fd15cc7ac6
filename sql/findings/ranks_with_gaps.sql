/*
severity = "info"
what = "ranks of a query have gaps, and no rank is NULL: rows may be missing"
what_to_do = "nothing if the input holds the judged documents only; otherwise find out where rows were lost"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    select
        {{ row_text("r", "query_id") }} || ' (' || count(distinct r.rank) || ' ranks down to ' || cast(max(r.rank) as bigint) || ')' as row_text
    from __ltr_run_rows as r
    where not exists (
        select 1
        from __ltr_run_rows as n
        where n.rank is null
    )
        and isfinite(r.rank)
    group by r.keys, r.query_id
    having max(r.rank) > count(distinct r.rank)
) as f
