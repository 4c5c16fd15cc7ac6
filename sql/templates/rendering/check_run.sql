{#- Select the valid rows of a run for check.sql, without duplicates. -#}
select
    r.keys,
    r.query_id,
    r.doc_id,
    max(r.score) as score,
    max(r.exact_score) as exact_score
from __ltr_run_rows as r
where not r.has_rank and isfinite(r.score) and r.query_id is not null and r.doc_id is not null
group by r.keys, r.query_id, r.doc_id
