{#- Select the valid rows of a scored table for check.sql. Row numbers serve as document ids. -#}
select
    r.keys,
    r.query_id,
    cast(row_number() over () as varchar) as doc_id,
    r.score,
    r.exact_score,
    r.relevance
from __ltr_run_rows as r
where not r.has_rank and isfinite(r.score) and not coalesce(isinf(r.relevance), false)
