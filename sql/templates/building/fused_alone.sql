{#- List the runs that share no document of a query with another run: in `sample` queries, or with `whole` in all of them. -#}
with __ltr_rows as (
    select
        j.{{ system }} as system,
        j.query_id,
        j.doc_id
    from {{ relation }} as j
    {%- if not whole %}
    where j.query_id in (
        select q.query_id
        from (
            select
                t.query_id,
                count(distinct t.{{ system }}) as runs
            from {{ relation }} as t
            group by t.query_id
        ) as q
        order by q.runs desc, cast(q.query_id as varchar) asc
        limit {{ sample }}
    )
    {%- endif %}
),
__ltr_documents as (
    select
        r.query_id,
        r.doc_id,
        min(r.system) <> max(r.system) as shared
    from __ltr_rows as r
    group by r.query_id, r.doc_id
),
__ltr_alone as (
    select
        r.system,
        min(cast(r.doc_id as varchar)) as id
    from __ltr_rows as r
    join __ltr_documents as d
        on d.query_id = r.query_id and d.doc_id = r.doc_id
    group by r.system
    having not bool_or(d.shared)
)
select
    a.system,
    a.id,
    (
        select min(cast(o.doc_id as varchar))
        from __ltr_rows as o
        where o.system <> a.system
    ) as others
from __ltr_alone as a
order by a.system asc
