{#- Replace the numbers of queries in the values of measures by their ids. -#}
select
    v.* replace (q.query_name as query_id)
from (
    {{ values | indent(4) }}
) as v
join {{ queries }} as q
    on q.query_id = v.query_id
order by v.query_id asc
