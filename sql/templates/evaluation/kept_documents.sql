{#- Select the columns that rank a run, except the scores: one row per document of the run, in the order of its rows, then
    one row per judged document that the run lacks. `counts` names the columns that count the relevant documents of all earlier
    queries, with the smallest relevant grade. -#}
with __ltr_run as (
    select
        r.query_id,
        r.doc_id,
        {%- if ties == "row_order" %}
        r.row_order,
        {%- endif %}
        row_number() over () as position
    from {{ run }} as r
),
__ltr_documents as (
    select
        coalesce(r.query_id, q.query_id) as query_id,
        coalesce(r.doc_id, q.doc_id) as doc_id,
        {%- if ties == "row_order" %}
        r.row_order,
        {%- endif %}
        r.position,
        cast(q.relevance as double) as relevance,
        0e0 as score
    from __ltr_run as r
    full join {{ qrels }} as q
        on q.query_id = r.query_id and q.doc_id = r.doc_id
)
select
    q.query_id,
    cast(row_number() over (
        partition by q.query_id
        order by
            case when d.position is null then 1 else 0 end asc,
            {{ ranking_order("d", ties, "d") | indent(12) }}
    ) as integer) as tie_order,
    d.relevance,
    {%- for name, rel in counts.items() %}
    cast(coalesce(sum(case when d.relevance >= {{ rel }} then 1 else 0 end) over earlier_queries, 0) as integer) as {{ name }},
    {%- endfor %}
    cast(row_number() over (partition by q.query_id order by d.relevance desc nulls last) as integer) as ideal_rank,
    case when d.position is not null then cast(rank() over (order by q.query_id asc) - 1 as integer) end as rows_before,
    cast(count(d.position) over (partition by q.query_id) as integer) as num_ret
from __ltr_documents as d
join {{ queries }} as q
    on q.query_name = d.query_id
{%- if counts %}
window earlier_queries as (order by q.query_id asc groups between unbounded preceding and 1 preceding)
{%- endif %}
order by d.position asc nulls last
