{#- Choose the queries whose documents the report lists: those with the largest differences from the baseline, the worst means, and the
    largest spreads over systems. A single system has no differences. -#}
with __ltr_values as (
    select
        cast(v.query_id as varchar) as query_id,
        cast(v.system as varchar) as system,
        cast(v.{{ measure }} as double) as value
    from {{ values }} as v
    where v.{{ measure }} is not null
),
__ltr_changes as (
    select
        v.query_id,
        v.value - b.value as difference
    from __ltr_values as v
    join __ltr_values as b
        on b.query_id = v.query_id and b.system = {{ baseline }}
    where list_contains({{ shown }}, v.system)
),
__ltr_ordered as (
    select
        q.query_id,
        row_number() over (order by q.low asc nulls last, q.query_id asc) as by_low,
        row_number() over (order by q.high desc nulls last, q.query_id asc) as by_high,
        row_number() over (order by q.sense * q.mean asc, q.query_id asc) as by_mean,
        row_number() over (order by q.spread desc, q.query_id asc) as by_spread
    from (
        select
            v.query_id,
            {{ sense }} as sense,
            avg(v.value) as mean,
            max(v.value) - min(v.value) as spread,
            (select min(c.difference) from __ltr_changes as c where c.query_id = v.query_id) as low,
            (select max(c.difference) from __ltr_changes as c where c.query_id = v.query_id) as high
        from __ltr_values as v
        group by v.query_id
    ) as q
)
select o.query_id
from __ltr_ordered as o
order by least(o.by_low, o.by_high, o.by_mean, o.by_spread) asc, o.query_id asc
limit {{ lists }}
