{#- Rank the systems of each measure by their means, with the systems that each of them beats. -#}
,
__ltr_places as (
    select
        g.stratum,
        g.grp,
        g.measure,
        g.geometric,
        rank() over (partition by m.grp order by round(g.sense * m.mean, 12) desc nulls last) as place,
        m.sys,
        s.system,
        m.queries,
        m.mean,
        q.t * m.sd / sqrt(m.queries) as reach
    from __ltr_members as m
    join __ltr_groups as g
        on g.grp = m.grp
    join __ltr_systems as s
        on s.sys = m.sys
    left join __ltr_quantiles as q
        on q.df = m.queries - 1 and q.alpha = {{ alpha }}
),
{#- Each comparison twice: `of` is the system that it is about, `sys` the other one. #}
__ltr_outcomes as (
    select
        o.grp,
        o.of,
        o.beaten,
        o.beats,
        p.place,
        p.sys,
        p.system
    from (
        select
            c.grp,
            c.sys_a as of,
            c.sys_b as other,
            c.verdict = 'worse' as beaten,
            c.verdict = 'better' as beats
        from __ltr_compared as c
        union all
        select
            c.grp,
            c.sys_b,
            c.sys_a,
            c.verdict = 'better',
            c.verdict = 'worse'
        from __ltr_compared as c
    ) as o
    join __ltr_places as p
        on p.grp = o.grp and p.sys = o.other
)
select
    {{ strata_output }}r.measure,
    r.place,
    r.system,
    r.queries,
    case when r.geometric then exp(r.mean) else r.mean end as mean,
    case when r.geometric then exp(r.mean - r.reach) else r.mean - r.reach end as low,
    case when r.geometric then exp(r.mean + r.reach) else r.mean + r.reach end as high,
    coalesce(list(o.system order by o.place asc, o.sys asc) filter (where o.beaten), []) as beats,
    coalesce(bool_and(o.place > 1 or not o.beats), true) as tied_with_best
from __ltr_places as r
left join __ltr_outcomes as o
    on o.grp = r.grp and o.of = r.sys
group by r.stratum, r.grp, r.measure, r.geometric, r.place, r.sys, r.system, r.queries, r.mean, r.reach
order by r.grp, r.place, r.sys
