{#- List the common queries of two systems, by descending size of the difference. -#}
{% include "rendering/comparisons/compared_values.sql" %},
__ltr_changes as (
    select
        a.grp,
        a.query,
        a.value as a,
        b.value as b,
        b.value - a.value as d,
        {{ rounded("(b.value - a.value)", "greatest(m.scale, n.scale)") }} as rounded,
        greatest(m.scale, n.scale) as scale,
        avg(b.value - a.value) over (partition by a.grp) as mean,
        count(*) over (partition by a.grp) as queries
    from __ltr_values as a
    join __ltr_systems as s
        on s.sys = a.sys and s.base = 1
    join __ltr_values as b
        on b.grp = a.grp and b.query = a.query
    join __ltr_systems as o
        on o.sys = b.sys and o.base = 2
    join __ltr_members as m
        on m.grp = a.grp and m.sys = a.sys
    join __ltr_members as n
        on n.grp = b.grp and n.sys = b.sys
)
select
    {{ strata_output }}r.measure,
    n.query_id,
    c.a,
    c.b,
    c.d as difference,
    rank() over (partition by c.grp order by abs(c.rounded) desc) as rank,
    sum(c.d) over (partition by c.grp order by abs(c.rounded) desc, c.query asc rows between unbounded preceding and current row) as running_sum,
    (c.mean - c.d) / nullif(c.queries - 1, 0) as leverage,
    sign({{ rounded("c.mean", "c.scale") }}) <> sign({{ rounded("(c.mean + (c.mean - c.d) / nullif(c.queries - 1, 0))", "c.scale") }}) as flips
from __ltr_changes as c
join __ltr_groups as r
    on r.grp = c.grp
join __ltr_numbered as n
    on n.query = c.query
order by c.grp asc, abs(c.rounded) desc, c.query asc
