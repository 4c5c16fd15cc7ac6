{#- List all pairs of systems, and number batches of them that have about `rows` rows of pairs, so that one batch fits into
    memory. -#}
with __ltr_systems as (
    select
        r.system,
        count(*) as documents
    from {{ ranked }} as r
    group by r.system
)
select
    a.system as system_a,
    b.system as system_b,
    cast(floor((sum(a.documents + b.documents) over (order by a.system asc, b.system asc rows between unbounded preceding and current row) - 1)
        / {{ rows }}e0) as bigint) as batch
from __ltr_systems as a
join __ltr_systems as b
    on a.system < b.system
