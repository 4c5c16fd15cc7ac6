{#- Count the queries that were asked and are judged, those that are not judged, and those of the run that were not asked, and list the first of each. -#}
select
    count(*) filter (where a.query_id is not null and a.judged) as judged,
    count(*) filter (where a.query_id is not null and not a.judged) as not_judged,
    string_agg(cast(a.query_id as varchar), ', ' order by a.query_id asc) filter (where a.query_id is not null
        and not a.judged and a.place <= 3) as first_not_judged,
    count(*) filter (where a.query_id is null) as not_asked,
    string_agg(cast(a.run_query as varchar), ', ' order by a.run_query asc) filter (where a.query_id is null and a.place <= 3) as first_not_asked
from (
    select
        o.query_id,
        r.query_id as run_query,
        q.query_id is not null as judged,
        row_number() over (partition by o.query_id is null, q.query_id is not null order by coalesce(o.query_id, r.query_id) asc) as place
    from (select distinct a.query_id from {{ asked }} as a) as o
    full join (select distinct t.query_id from {{ run }} as t) as r
        on r.query_id = o.query_id
    left join (select distinct t.query_id from {{ qrels }} as t) as q
        on q.query_id = o.query_id
) as a
