{#- Rank the systems by their means, for each measure. List the systems that each one beats. -#}
,
{% include "rendering/comparisons/places.sql" %},
__ltr_ordered as (
    select
        p.grp,
        p.sys,
        row_number() over (partition by p.grp order by p.place asc, p.sys asc) as number
    from __ltr_places as p
),
{#- Each comparison from both sides: `beaten` is true if the system `of` beats the other system `sys`,
    `beats` if `sys` beats `of`. #}
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
        {{ sorted_list(array(array("least(a.number, b.number)", "greatest(a.number, b.number)"))) }} as pairs
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
        {%- set first = element(element("pair", 1), 1) %}
        {%- set second = element(element("pair", 1), 2) %}
        {%- set split = each("sets", "s", "case
            when array_contains(s, " ~ first ~ ") and array_contains(s, " ~ second ~ ")
            then " ~ array(kept("s", "x", "x <> " ~ first), kept("s", "x", "x <> " ~ second)) ~ "
            else " ~ array("s") ~ "
        end") %}
        {%- set larger = kept("split", "o", "o <> s and " ~ size(kept("s", "x", "not array_contains(o, x)")) ~ " = 0") %}
        {{ sorted_elements(fold_from_first(
            "coalesce(" ~ concatenation(array(array("o.everyone")), "d.pairs") ~ ", " ~ array(array("o.everyone")) ~ ")",
            "sets",
            "pair",
            let("split", distinct_elements("flatten(" ~ split ~ ")"), kept("split", "s", size(larger) ~ " = 0"))
        )) }} as sets
    from (
        select
            n.grp,
            {{ sorted_list("n.number") }} as everyone
        from __ltr_ordered as n
        group by n.grp
    ) as o
    left join __ltr_differing_pairs as d
        on d.grp = o.grp
),
{%- if random_words %}
{#- p_best: bootstrap the queries, or across datasets the datasets, and count the samples in which a system has the best mean. A single
    dataset says nothing about samples of datasets: p_best is then NULL. #}
__ltr_positions as {{ stored }}(
    select
        q.grp,
        q.unit,
        row_number() over (partition by q.grp order by q.unit asc) as position,
        count(*) over (partition by q.grp) as n
    from (
        {%- call if_by_query() %}
        select distinct v.grp, v.query as unit
        from __ltr_values as v
        {%- endcall %}
        {%- call if_across() %}
        select distinct v.grp, n.dataset as unit
        from __ltr_values as v
        join __ltr_numbered as n
            on n.query = v.query
        {%- endcall %}
    ) as q
),
__ltr_drawable as {{ stored }}(
    select
        m.member as vector,
        {{ if_by_query("v.value") }}{{ if_across("v.mean as value") }},
        p.position,
        p.n
        {%- call if_weighted() %},
        w.weight
        {%- endcall %}
    {%- call if_by_query() %}
    from __ltr_values as v
    join __ltr_members as m
        on m.grp = v.grp and m.sys = v.sys
    {%- endcall %}
    {%- call if_across() %}
    from __ltr_system_datasets as v
    join __ltr_members as m
        on v.pair = {{ pair_of("m.grp", "m.sys") }}
    {%- endcall %}
    {%- call if_weighted() %}
    join __ltr_query_weights as w
        on w.grp = v.grp and w.query = v.query
    {%- endcall %}
    join __ltr_positions as p
        on p.grp = m.grp and p.unit = {{ if_by_query("v.query") }}{{ if_across("v.dataset") }}
),
{% include "rendering/draws/bootstrap.sql" %},
__ltr_best as (
    select
        m.grp,
        m.sys,
        r.replicate,
        case when g.sense * r.mean >= max(g.sense * r.mean) over (partition by m.grp, r.replicate) - 1e-12 * max(m.scale) over (partition by m.grp) then 1e0
            else 0e0 end as best
    from __ltr_resampled as r
    join __ltr_members as m
        on m.member = r.vector
    join __ltr_groups as g
        on g.grp = m.grp
),
{%- call if_across() %}
__ltr_drawn_places as (
    select
        d.grp,
        d.sys,
        list(d.place order by d.place asc)[cast(ceil(round(count(*) * max(l.alpha) / 2, 9)) as integer)] as sampled_low,
        list(d.place order by d.place asc)[cast(ceil(round(count(*) * (1 - max(l.alpha) / 2), 9)) as integer)] as sampled_high
    from (
        select
            h.grp,
            h.sys,
            rank() over (partition by h.grp, h.replicate order by h.height desc) as place
        from (
            select
                m.grp,
                m.sys,
                r.replicate,
                {{ rounded("g.sense * r.mean", "max(m.scale) over (partition by m.grp)") }} as height
            from __ltr_resampled as r
            join __ltr_members as m
                on m.member = r.vector
            join __ltr_groups as g
                on g.grp = m.grp
        ) as h
    ) as d
    join __ltr_levels as l
        on l.role = 'test'
    group by d.grp, d.sys
),
{%- endcall %}
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
{%- endif %}
{%- call if_across() %}
{#- MTEB's count of points: in each dataset, a system gets the number of systems minus its place. Equal systems share their places. #}
__ltr_points as (
    select
        p.grp,
        p.sys,
        sum(p.systems - p.place - (p.equal - 1) / 2e0) as borda
    from (
        select
            p.*,
            count(*) over (partition by p.grp, p.dataset) as systems,
            count(*) over (partition by p.grp, p.dataset, p.height) as equal,
            rank() over (partition by p.grp, p.dataset order by p.height desc) as place
        from (
            select
                m.grp,
                m.sys,
                d.dataset,
                {{ rounded("g.sense * d.mean", "max(m.scale) over (partition by m.grp)") }} as height
            from __ltr_members as m
            join __ltr_groups as g
                on g.grp = m.grp
            join __ltr_system_datasets as d
                on d.pair = {{ pair_of("m.grp", "m.sys") }}
        ) as p
    ) as p
    group by p.grp, p.sys
),
{%- endcall %}
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
            {{ if_weighted("sum(r.weight * r.value) / sum(case when r.value is not null then r.weight end)") }}{{ if_unweighted("avg(r.value)") }} as mean
        from {{ if_by_query("__ltr_rows") }}
        {%- call if_across() %} (
            select
                r.stratum,
                r.measure,
                r.system,
                r.repeat,
                avg(r.value) as value
            from __ltr_rows as r
            group by r.stratum, r.measure, r.system, r.repeat, r.dataset
        )
        {%- endcall %} as r
        {{- if_human("\n        where not r.human") }}
        group by r.stratum, r.measure, r.system, r.repeat
    ) as r
    group by r.stratum, r.measure, r.system
),
__ltr_records as (
    select
        r.grp,
        r.sys,
        count(case when o.beats then 1 end) as beaten_by,
        coalesce({{ each(sorted_list(struct(sys="o.sys", system="o.system"), "o.beaten"), "s", "s['system']") }}, {{ array() }}) as beats,
        coalesce(bool_and(not o.first or not o.beats), true) as tied_with_best
    from __ltr_places as r
    left join __ltr_outcomes as o
        on o.grp = r.grp and o.of = r.sys
    group by r.grp, r.sys
)
select
    {% include "rendering/comparisons/place_columns.sql" %}
    c.beats,
    c.tied_with_best,
    {%- set of_system = kept(numbers_below(size("l.sets")), "s", "array_contains(" ~ element("l.sets", "s + 1") ~ ", o.number)") %}
    {{ joined(each(of_system, "s",
        "case when s > 25 then chr(cast(96 + floor(s / 26e0) as integer)) else '' end || chr(cast(97 + s - 26 * floor(s / 26e0) as integer))"),
        "") }} as letters,
    c.beaten_by + 1 as place_low,
    count(*) over (partition by r.grp) - {{ size("c.beats") }} as place_high,
    {%- if random_words %}
    {{ if_direct("coalesce(b.p_best, 0e0)") }}{{ if_linearised("cast(null as double)") }}
    {{- if_across("case when r.datasets > 1 then coalesce(b.p_best, 0e0) end") }} as p_best,
    {%- endif %}
    d.sd_repeats
    {%- call if_human() %},
    r.judged,
    r.llm_mean,
    r.human_mean,
    r.llm_weight,
    r.worth
    {%- endcall %}
    {%- call if_clustered() %},
    r.clusters,
    r.design_effect
    {%- endcall %}
    {%- call if_across() %},
    r.datasets,
    q.borda
    {%- endcall %}
    {%- if random_words %}
    {%- call if_across() %},
    case when r.datasets > 1 then e.sampled_low end as sampled_low,
    case when r.datasets > 1 then e.sampled_high end as sampled_high
    {%- endcall %}
    {%- endif %}
from __ltr_places as r
join __ltr_ordered as o
    on o.grp = r.grp and o.sys = r.sys
join __ltr_records as c
    on c.grp = r.grp and c.sys = r.sys
join __ltr_lettered as l
    on l.grp = r.grp
{%- if random_words %}
left join __ltr_chances as b
    on b.grp = r.grp and b.sys = r.sys
{%- call if_across() %}
left join __ltr_drawn_places as e
    on e.grp = r.grp and e.sys = r.sys
{%- endcall %}
{%- endif %}
{%- call if_across() %}
left join __ltr_points as q
    on q.grp = r.grp and q.sys = r.sys
{%- endcall %}
left join __ltr_spreads as d
    on d.stratum = r.stratum and d.measure = r.measure and d.system = r.system
order by r.grp asc, o.number asc
