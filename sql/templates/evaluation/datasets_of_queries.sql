{#- Count the judged queries that are in several datasets of a run, and those that are in none, with the first of each. -#}
select
    count(case when q.datasets > 1 then 1 end) as several,
    min(case when q.datasets > 1 then cast(q.query_id as varchar) end) as first_of_several,
    count(case when q.datasets = 0 then 1 end) as lacking,
    min(case when q.datasets = 0 then cast(q.query_id as varchar) end) as first_lacking
from (
    select
        j.query_id,
        count(distinct d.{{ dataset }}) as datasets
    from (
        select distinct g.query_id
        from {{ judged }} as g
    ) as j
    left join {{ queries }} as d
        on d.query_id = j.query_id
    group by j.query_id
) as q
