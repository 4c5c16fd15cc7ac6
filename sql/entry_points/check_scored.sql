{#- The rows of a scored table that can be ranked, for check.sql; the order of equal documents is that of their numbers. -#}
select
    r.keys,
    r.query_id,
    cast(row_number() over () as varchar) as doc_id,
    r.score,
    r.relevance
from __ltr_run_rows as r
where not r.has_rank and isfinite(r.score) and not coalesce(isinf(r.relevance), false)
