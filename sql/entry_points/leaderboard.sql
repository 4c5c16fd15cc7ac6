{#- Rank the systems by their means, for each measure. List the systems that each one beats. -#}
,
{% include "entry_points/places.sql" %},
__ltr_ordered as (
    select
        p.grp,
        p.sys,
        row_number() over (partition by p.grp order by p.place asc, p.sys asc) as number
    from __ltr_places as p
),
{#- Each comparison from both sides: `of` is the system in question, `sys` the other one. #}
__ltr_outcomes as (
    select
        o.grp,
        o.of,
        o.beaten,
        o.beats,
        p.number = 1 as first,
        p.sys,
        s.system
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
    join __ltr_ordered as p
        on p.grp = o.grp and p.sys = o.other
    join __ltr_systems as s
        on s.sys = o.other
),
{#- Letters: start with one group of all systems. For each pair that differs significantly, split the groups that contain both systems,
    and drop groups that are subsets of others. Systems are numbered from the best. #}
__ltr_differing_pairs as (
    select
        a.grp,
        list([[least(a.number, b.number), greatest(a.number, b.number)]] order by least(a.number, b.number), greatest(a.number, b.number)) as pairs
    from __ltr_compared as c
    join __ltr_ordered as a
        on a.grp = c.grp and a.sys = c.sys_a
    join __ltr_ordered as b
        on b.grp = c.grp and b.sys = c.sys_b
    where c.verdict in ('better', 'worse')
    group by a.grp
),
__ltr_lettered as (
    select
        o.grp,
        list_sort(list_reduce(
            list_concat([[range(1, count(*) + 1)]], coalesce(max(d.pairs), [])),
            lambda sets, pair: list_transform(
                [list_distinct(flatten(list_transform(sets, lambda s: case
                    when list_has_all(s, pair[1]) then [list_filter(s, lambda x: x <> pair[1][1]), list_filter(s, lambda x: x <> pair[1][2])]
                    else [s]
                end)))],
                lambda split: list_filter(split, lambda s: len(list_filter(split, lambda o: o <> s and list_has_all(o, s))) = 0)
            )[1]
        )) as sets
    from __ltr_ordered as o
    left join __ltr_differing_pairs as d
        on d.grp = o.grp
    group by o.grp
),
{#- p_best: bootstrap the queries, and count the samples in which a system has the best mean. #}
__ltr_positions as materialized (
    select
        q.grp,
        q.query,
        row_number() over (partition by q.grp order by q.query asc) as position,
        count(*) over (partition by q.grp) as n
    from (
        select distinct v.grp, v.query
        from __ltr_values as v
    ) as q
),
__ltr_drawable as materialized (
    select
        m.member as vector,
        v.value,
        p.position,
        p.n
        {%- if weighted %},
        w.weight
        {%- endif %}
    from __ltr_values as v
    join __ltr_members as m
        on m.grp = v.grp and m.sys = v.sys
    {%- if weighted %}
    join __ltr_query_weights as w
        on w.grp = v.grp and w.query = v.query
    {%- endif %}
    join __ltr_positions as p
        on p.grp = v.grp and p.query = v.query
),
{% include "entry_points/bootstrap.sql" %},
__ltr_best as (
    select
        m.grp,
        m.sys,
        r.replicate,
        case when g.sense * r.mean >= max(g.sense * r.mean) over (partition by m.grp, r.replicate) - 1e-12 then 1e0 else 0e0 end as best
    from __ltr_resampled as r
    join __ltr_members as m
        on m.member = r.vector
    join __ltr_groups as g
        on g.grp = m.grp
),
__ltr_chances as (
    select
        s.grp,
        s.sys,
        sum(s.share) / {{ resamples }} as p_best
    from (
        select
            b.grp,
            b.sys,
            b.best / sum(b.best) over (partition by b.grp, b.replicate) as share
        from __ltr_best as b
    ) as s
    group by s.grp, s.sys
),
__ltr_spreads as (
    select
        r.stratum,
        r.measure,
        r.system,
        stddev_samp(r.mean) as sd_repeats
    from (
        select
            r.stratum,
            r.measure,
            r.system,
            r.repeat,
            {{ "sum(r.weight * r.value) / sum(case when r.value is not null then r.weight end)" if weighted else "avg(r.value)" }} as mean
        from __ltr_rows as r
        group by r.stratum, r.measure, r.system, r.repeat
    ) as r
    group by r.stratum, r.measure, r.system
),
__ltr_records as (
    select
        r.grp,
        r.sys,
        count(case when o.beats then 1 end) as beaten_by,
        coalesce(list(o.system order by o.sys asc) filter (where o.beaten), []) as beats,
        coalesce(bool_and(not o.first or not o.beats), true) as tied_with_best
    from __ltr_places as r
    left join __ltr_outcomes as o
        on o.grp = r.grp and o.of = r.sys
    group by r.grp, r.sys
)
select
    {% include "entry_points/place_columns.sql" %}
    c.beats,
    c.tied_with_best,
    array_to_string(list_transform(
        list_filter(range(1, len(l.sets) + 1), lambda s: list_contains(l.sets[s], o.number)),
        lambda s: case when s > 26 then chr(cast(96 + (s - 1) // 26 as integer)) else '' end || chr(cast(97 + (s - 1) % 26 as integer))
    ), '') as letters,
    c.beaten_by + 1 as place_low,
    count(*) over (partition by r.grp) - len(c.beats) as place_high,
    coalesce(b.p_best, 0e0) as p_best,
    d.sd_repeats
from __ltr_places as r
join __ltr_ordered as o
    on o.grp = r.grp and o.sys = r.sys
join __ltr_records as c
    on c.grp = r.grp and c.sys = r.sys
join __ltr_lettered as l
    on l.grp = r.grp
left join __ltr_chances as b
    on b.grp = r.grp and b.sys = r.sys
left join __ltr_spreads as d
    on d.stratum = r.stratum and d.measure = r.measure and d.system = r.system
order by r.grp, o.number
