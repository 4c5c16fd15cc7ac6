{#- Cut a run off below a depth. With `judged_only`, then remove unjudged documents and rank again. -#}
select
    r.query_id,
    r.doc_id,
    {{ "row_number() over (partition by r.query_id order by r.rank asc nulls last)" if judged_only else "r.rank" }} as rank
from {{ run }} as r
where {{ in_top(depth, "r.rank") }}
{%- if judged_only %}
    and exists (
        select 1
        from {{ qrels }} as q
        where q.query_id = r.query_id and q.doc_id = r.doc_id and q.relevance >= 0
    )
{%- endif %}
