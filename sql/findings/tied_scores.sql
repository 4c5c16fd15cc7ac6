/*
severity = "info"
what = "documents of one query have the same score: the tie-breaking rule orders them"
what_to_do = "set ties= to the rule of the tool that you compare with; ties='worst' ranks lower grades first"
reads = ["rankings", "run"]
*/
select
    cast(sum(f.documents) as bigint) as how_many,
    list_aggregate(min({{ row_text("f", "query_id", "score") }} || ' (' || f.documents || ' documents)', 3), 'string_agg', '; ') as first_rows
from (
    select
        r.keys,
        r.query_id,
        r.score,
        count(*) as documents
    from __ltr_run_rows as r
    where not r.has_rank and isfinite(r.score)
    group by r.keys, r.query_id, r.score, r.exact_score
    having count(*) > 1
) as f
