{#- Count the queries that some of the runs lack. -#}
select
    count(case when q.runs < {{ runs }} then 1 end) as partial,
    count(*) as queries,
    min(case when q.runs < {{ runs }} then cast(q.query_id as varchar) end) as first
from (
    select
        r.query_id,
        count(*) as runs
    from (
        select distinct
            j.query_id,
            j.{{ system }} as system
        from {{ relation }} as j
    ) as r
    group by r.query_id
) as q
