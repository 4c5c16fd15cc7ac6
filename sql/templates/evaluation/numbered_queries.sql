{#- Number the queries to evaluate, in the order of their ids. -#}
select
    cast(row_number() over (order by q.query_id asc) as integer) as query_id,
    q.query_id as query_name
from {{ queries }} as q
{%- if missing == "skip" %}
where q.query_id in (select r.query_id from {{ run }} as r)
{%- endif %}
