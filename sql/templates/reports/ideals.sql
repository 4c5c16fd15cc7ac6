{#- Return the number of relevant documents of each chosen query, and the grades of its best documents. -#}
select
    cast(g.query_id as varchar) as query_id,
    count(case when g.relevance > 0 then 1 end) as relevant,
    list_slice(list(g.relevance order by g.relevance desc), 1, {{ depth }}) as grades
from (
    select distinct
        d.query_id,
        {{ doc_id }} as doc_id,
        cast(d.relevance as double) as relevance
    from {{ documents }} as d
    where d.relevance > 0 and d.system = {{ system }}
) as g
group by g.query_id
