{#- The values to compare, one row for each system and query that tests a choice: the tuned fusion, equal weights, and each run alone.
    `run_values` is a relation with the columns system, query_id and value. -#}
select
    '{{ tuned }}' as system,
    v.query_id,
    v.value as {{ value }}
from {{ values }} as v
join __ltr_tuning_parts as p
    on p.query_id = v.query_id
join __ltr_tuning_choices as c
    on c.part = p.part and c.configuration = v.configuration
union all
select
    '{{ equal }}',
    v.query_id,
    v.value
from {{ values }} as v
join __ltr_tuning_parts as p
    on p.query_id = v.query_id
where p.part is not null and v.configuration = (select min(g.configuration) from {{ grid }} as g where g.baseline)
union all
select
    r.system,
    r.query_id,
    r.value
from {{ run_values }} as r
join __ltr_tuning_parts as p
    on p.query_id = r.query_id
where p.part is not null
