{#- Rank the documents of a run whose rows have their judgments, and select the judged documents. `documents` holds the run,
    with unique ids in each query; `not_retrieved` holds the judged documents that the run lacks. -#}
select
    r.query_id,
    r.rank,
    r.relevance
from (
    select
        d.query_id,
        row_number() over (
            partition by d.query_id
            order by
                {{ ranking_order("d", ties, "d") | indent(16) }}
        ) as rank,
        d.relevance
    from {{ documents }} as d
) as r
where r.relevance is not null
union all
select
    d.query_id,
    cast(null as bigint) as rank,
    d.relevance
from {{ not_retrieved }} as d
