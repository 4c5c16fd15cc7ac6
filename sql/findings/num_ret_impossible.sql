/*
severity = "error"
what = "num_ret is negative, not whole, above 1,000,000,000, or below the largest rank of its query"
what_to_do = "set num_ret to the number of documents retrieved for the query, or leave the column out"
reads = ["rankings"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    select
        {{ row_text("r", "query_id") }} || ', num_ret=' || max(r.num_ret) || ', largest rank=' || coalesce(cast(max(r.rank) as varchar), 'NULL') as row_text
    from __ltr_run_rows as r
    where r.num_ret is not null
    group by r.keys, r.query_id
    having {{ impossible_num_ret("min(r.num_ret)", "max(r.num_ret)", "max(r.rank)") }}
) as f
