{#- Create the CTE __ltr_places: the mean of each system with its t interval, and its place. -#}
__ltr_places as (
    select
        g.stratum,
        g.grp,
        g.measure,
        g.geometric,
        rank() over (partition by m.grp order by {{ rounded("g.sense * m.mean", "m.scale_of_group") }} desc nulls last) as place,
        m.sys,
        s.system,
        m.queries,
        m.mean,
        case when g.geometric then exp(m.mean) else m.mean end as average,
        q.t * m.sd / sqrt(m.queries) as reach
    from (
        select
            m.*,
            max(m.scale) over (partition by m.grp) as scale_of_group
        from __ltr_members as m
    ) as m
    join __ltr_groups as g
        on g.grp = m.grp
    join __ltr_systems as s
        on s.sys = m.sys
    left join __ltr_quantiles as q
        on q.df = m.queries - 1 and q.alpha = {{ level }}
)
