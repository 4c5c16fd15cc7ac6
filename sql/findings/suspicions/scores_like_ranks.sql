/*
severity = "info"
what = "the scores of each query are the numbers from 0 or 1 on, as ranks are, and the highest score counts as the best"
what_to_do = "nothing if the highest number is the best; otherwise name the column rank, and count from 1"
reads = ["run"]
*/
select
    case when count(*) >= 2 and sum(f.documents) >= 8 and min(f.numbered) then cast(sum(f.documents) as bigint) else 0 end as how_many,
    list_aggregate(min(f.row_text, 3), 'string_agg', '; ') as first_rows
from (
    select
        {{ row_text("r", "query_id") }} || ' (' || try_cast(min(r.score) as bigint) || ' to ' || try_cast(max(r.score) as bigint) || ')' as row_text,
        count(*) as documents,
        min(r.score) in (0, 1)
        and count(distinct r.score) = count(*)
        and max(r.score) - min(r.score) = count(*) - 1
        and count(case when r.score = floor(r.score) then 1 end) = count(*) as numbered
    from __ltr_run_rows as r
    where not r.has_rank
    group by r.keys, r.query_id
) as f
