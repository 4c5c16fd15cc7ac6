{#- Cut a run off below a depth. -#}
select
    r.query_id,
    r.doc_id,
    r.rank
from {{ run }} as r
where {{ in_top(depth, "r.rank") }}
