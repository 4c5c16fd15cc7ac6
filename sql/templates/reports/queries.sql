{#- Number the queries of a table of values from 0. Ids that are numbers are in numeric order. -#}
select
    row_number() over (order by try_cast(q.query_id as double) asc nulls last, q.query_id asc) - 1 as query,
    q.*
from (
    select distinct
        {% for key in keys %}cast(v.{{ key }} as varchar) as {{ key }},
        {% endfor %}cast(v.query_id as varchar) as query_id
    from {{ values }} as v
) as q
order by query asc
