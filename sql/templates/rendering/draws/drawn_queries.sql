{#- Number the queries of lists, for the bootstrap: `position` from 1 to n within each stratum, and `number` over all strata. -#}
select
    {% for key in stratum %}{{ key }}, {% endfor %}q.query_id,
    row_number() over ({{ partition }}order by cast(q.query_id as varchar) asc) as position,
    count(*) over ({{ partition }}) as n,
    dense_rank() over (order by cast(q.query_id as varchar) asc) as number
from (
    select distinct
        {% for key in stratum %}{{ key }}, {% endfor %}q.query_id
    from {{ lists }} as q
) as q
