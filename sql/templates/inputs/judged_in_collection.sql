{#- Select judgments, one row per query and document, and a row of grade 0 for each document that a query retrieves, another query judges
    and its own judgments lack. -#}
select
    {% for name in segments %}j.{{ name }},
    {% endfor %}j.query_id,
    j.doc_id,
    max(j.relevance) as relevance
from {{ qrels }} as j
group by {% for name in segments %}j.{{ name }}, {% endfor %}j.query_id, j.doc_id
union all
select distinct
    {% for name in segments %}q.{{ name }},
    {% endfor %}r.query_id,
    r.doc_id,
    0 as relevance
from {{ run }} as r
join (
    select distinct
        {% for name in segments %}j.{{ name }},
        {% endfor %}j.query_id
    from {{ qrels }} as j
) as q
    on q.query_id = r.query_id
where r.doc_id in (
        select j.doc_id
        from {{ qrels }} as j
        where j.relevance is not null and j.doc_id is not null
    )
    and not exists (
        select 1
        from {{ qrels }} as j
        where j.query_id = r.query_id and j.doc_id = r.doc_id
    )
