{#- Split the variance of each measure into systems, queries and error (two-way analysis of variance without replication). Every system
    must have a value for every query. -#}
__ltr_by_query as (
    select
        v.grp,
        v.query,
        count(*) as systems,
        avg(v.value) as mean
    from __ltr_values as v
    group by v.grp, v.query
),
__ltr_by_group as (
    select
        v.grp,
        avg(v.value) as mean
    from __ltr_values as v
    group by v.grp
),
__ltr_incomplete as (
    select
        m.grp,
        min(s.system) as system
    from __ltr_members as m
    join __ltr_systems as s
        on s.sys = m.sys
    where m.queries < (select count(*) from __ltr_by_query as q where q.grp = m.grp)
    group by m.grp
),
__ltr_two_way as {{ stored }}(
    select
        v.grp,
        cast(count(distinct v.sys) as double) as systems,
        cast(count(distinct v.query) as double) as queries,
        sum((m.mean - g.mean) * (m.mean - g.mean)) as ss_system,
        sum((q.mean - g.mean) * (q.mean - g.mean)) as ss_query,
        case
            when count(distinct v.query) < 2 then {{ error_function }}({{ purpose }} || ' needs at least two queries')
            when {{ rounded("max(abs(v.value - m.mean - q.mean + g.mean))", "max(m.scale)") }} = 0 then 0e0
            else sum((v.value - m.mean - q.mean + g.mean) * (v.value - m.mean - q.mean + g.mean))
        end as ss_error
    from __ltr_values as v
    join __ltr_members as m
        on m.grp = v.grp and m.sys = v.sys
    join __ltr_by_query as q
        on q.grp = v.grp and q.query = v.query
    join __ltr_by_group as g
        on g.grp = v.grp
    left join __ltr_incomplete as i
        on i.grp = v.grp
    where case
        when i.grp is null then true
        else {{ error_function }}({{ purpose }} || ' needs a value of every system for every query, and '
            || {{ text("i.system") }} || ' lacks some: leave out these queries, or pass missing := ''zero''')
    end
    group by v.grp
)
