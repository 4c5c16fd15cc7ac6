{#- Count the judged documents of each grade. -#}
select
    g.relevance as grade,
    count(*) as documents
from (
    select distinct
        j.query_id,
        {{ doc_id }} as doc_id,
        cast(j.relevance as double) as relevance
    from {{ judged }} as j
    where j.relevance is not null
) as g
group by g.relevance
order by g.relevance asc
