{#- Read a table of values: one row for each system, query and stratum, with one column for each measure. -#}
with __ltr_rows as (
    select
        {{ struct_of(stratum) }} as stratum,
        v.{{ system }} as system,
        v.query_id as query_id,
        {{ struct_of(repeat) }} as repeat,
        {{ measures_as_rows(names, numbers) }}
        {%- call if_weighted() %},
        v.__ltr_weight as weight
        {%- endcall %}
        {%- call if_linearised() %},
        v.__ltr_weight as weight,
        v.__ltr_cluster as cluster,
        v.__ltr_human as human
        {%- endcall %}
        {%- call if_across() %},
        v.__ltr_dataset as dataset
        {%- endcall %}
    from {{ relation }} as v
    {%- call if_weighted() %}
    where v.__ltr_weight > 0
    {%- endcall %}
    {%- call if_linearised() %}
    where v.__ltr_weight > 0
    {%- endcall %}
),
__ltr_cells as {{ stored }}(
    select
        r.stratum,
        r.system,
        r.query_id,
        r.measure,
        min(r.position) as position,
        avg(r.value) as value
        {%- call if_weighted() %},
        max(r.weight) as weight
        {%- endcall %}
        {%- call if_linearised() %},
        max(r.weight) as weight,
        min(r.cluster) as cluster,
        max(r.cluster) as last_cluster,
        r.human
        {%- endcall %}
        {{- if_across(",\n        r.dataset") }}
    from __ltr_rows as r
    group by r.stratum, r.system, r.query_id, r.measure{{ if_across(", r.dataset") }}
        {%- call if_linearised() %},
        r.human
        {%- endcall %}
    having case
        when r.system is null or r.query_id is null
        then {{ error_function }}('a row of the values has no ' || {{ compared }} || ' or no query_id (NULL): '
            || {{ compared }} || ' ' || coalesce({{ text("r.system") }}, 'NULL') || ', query_id '
            || coalesce({{ text("r.query_id") }}, 'NULL'))
        when {{ duplicated }}
        then {{ error_function }}('the values of ' || {{ compared }} || ' ' || {{ text("r.system") }} || ', query '
            || {{ text("r.query_id") }} || ' and measure ' || r.measure || ' are given ' || count(*)
            || ' times: keep one, or pass the column that distinguishes them in keys or repeats')
        when max(case when not abs(r.value) <= {{ largest }} then 1 end) = 1
        then {{ error_function }}('the value of ' || {{ compared }} || ' ' || {{ text("r.system") }} || ', query '
            || {{ text("r.query_id") }} || ' and measure ' || r.measure || case
            when max(case when not abs(r.value) < cast('inf' as double) then 1 end) = 1
            then ' is not a finite number: correct it, or set it to NULL if it is undefined'
            else ' is beyond {{ largest }}, so products of such values exceed the range of doubles: {# -#}
                correct it, or divide all values of the measure by the same number'
        end)
        else true
    end
),
__ltr_groups as {{ stored }}(
    select
        g.stratum,
        g.measure,
        row_number() over (order by g.stratum asc, g.position asc) as grp,
        dense_rank() over (order by g.stratum asc) as stratum_number,
        case when array_contains({{ lower }}, g.measure)
            or {{ named_in("g.measure", lower_names) }} then -1 else 1
            end as sense,
        {{ named_in("g.measure", geometric_names) }} as geometric
    from (
        select
            c.stratum,
            c.measure,
            min(c.position) as position
        from __ltr_cells as c
        group by c.stratum, c.measure
    ) as g
    {%- set name = "regexp_extract(lower(g.measure), '^([a-z0-9_]+)([@(].*)?$', 1)" %}
    where case
        when array_contains({{ weighted_names }}, {{ name }})
        then {{ error_function }}('measure ' || g.measure || ' {{ own_weights }}')
    {%- if higher_names %}
    {#- The caller may say the direction of other values only. A margin that no difference can exceed would always hold. #}
        when array_contains({{ lower }}, g.measure) and array_contains({{ higher_names }}, {{ name }})
        then {{ error_function }}('lower_is_better names ' || g.measure
            || ', a measure where higher is better: leave it out there, or rename the column if it holds other values')
        {%- for most, names in bounded_names.items() %}
        when {{ has_margin }} and {{ margin }} >= {{ most }} and array_contains({{ names }}, {{ name }})
        then {{ error_function }}('margin must be below ' || cast({{ most }} as integer)
            || ', the largest possible difference of ' || g.measure || ', got ' || {{ margin }})
        {%- endfor %}
    {%- endif %}
        else true
    end
),
{% include "rendering/comparisons/compared_systems.sql" %},
__ltr_numbered as {{ stored }}(
    select
        q.query_id,
        {{- if_across("\n        q.dataset,") }}
        row_number() over (order by {{ text("q.query_id") }} asc{{ if_across(", q.dataset asc") }}) as query
    from (
        select distinct c.query_id{{ if_across(", c.dataset") }}
        from __ltr_cells as c
    ) as q
),
{%- call if_weighted() %}
__ltr_query_weights as {{ stored }}(
    select distinct
        g.grp,
        q.query,
        c.weight
    from __ltr_cells as c
    join __ltr_groups as g
        on g.stratum = c.stratum and g.measure = c.measure
    join __ltr_numbered as q
        on q.query_id = c.query_id
),
{%- endcall %}
{%- call if_linearised() %}
__ltr_query_weights as {{ stored }}(
    select
        g.grp,
        q.query,
        max(c.weight) as weight,
        min(c.cluster) as cluster
    from __ltr_cells as c
    join __ltr_groups as g
        on g.stratum = c.stratum and g.measure = c.measure
    join __ltr_numbered as q
        on q.query_id = c.query_id
    group by g.grp, q.query
    having case
        when min(c.cluster) < max(c.last_cluster)
        then {{ error_function }}('query ' || min({{ text("q.query_id") }}) || ' is in two clusters, ' || min(c.cluster)
            || ' and ' || max(c.last_cluster) || ': give each query one cluster')
        else true
    end
),
{%- endcall %}
__ltr_given as {{ stored }}(
    select
        g.grp,
        s.sys,
        q.query,
        case when g.geometric and c.value is not null then ln(greatest(c.value, 1e-5)) else c.value end as value,
        c.value <> 0 or g.sense < 0 as counts
        {%- call if_linearised() %},
        c.human
        {%- endcall %}
    from __ltr_cells as c
    join __ltr_groups as g
        on g.stratum = c.stratum and g.measure = c.measure
    join __ltr_systems as s
        on s.system = c.system
    join __ltr_numbered as q
        on q.query_id = c.query_id{{ if_across(" and q.dataset = c.dataset") }}
),
{{ if_human("__ltr_filled") }}{{ if_without_human("__ltr_values") }} as {{ materialized }}(
    select
        v.grp,
        v.sys,
        v.query,
        v.value
        {%- call if_linearised() %},
        v.human
        {%- endcall %}
    from __ltr_given as v
    where v.value is not null
    {%- if missing != "'skip'" %}
    union all
    select
        m.grp,
        m.sys,
        q.query,
        case when g.geometric then ln(1e-5) else 0e0 end
        {%- call if_linearised() %},
        m.human
        {%- endcall %}
    from (
        select distinct v.grp, v.sys{{ if_linearised(", v.human") }}
        from __ltr_given as v
    ) as m
    join (
        select distinct v.grp, v.query{{ if_linearised(", v.human") }}
        from __ltr_given as v
    ) as q
        on q.grp = m.grp{{ if_linearised(" and q.human = m.human") }}
    join __ltr_groups as g
        on g.grp = m.grp
    where {{ missing }} = 'zero'
        and not exists (
            select 1
            from __ltr_given as v
            where v.grp = m.grp and v.sys = m.sys and v.query = q.query{{ if_linearised(" and v.human = m.human") }}
        )
    {%- endif %}
),
{%- call if_human() %}
{#- People's values belong to values of the judge that errs: a query that only people judged would enter without a correction. #}
__ltr_people as {{ stored }}(
    select
        p.grp,
        p.sys,
        p.query,
        p.value
    from __ltr_filled as p
    cross join (
        select
            count(*) as unknown,
            min('query ' || {{ text("q.query_id") }} || ' of system ' || {{ text("s.system") }}) as first_one
        from __ltr_given as y
        left join __ltr_given as v
            on v.grp = y.grp and v.sys = y.sys and v.query = y.query and not v.human
        join __ltr_numbered as q
            on q.query = y.query
        join __ltr_systems as s
            on s.sys = y.sys
        where y.human and y.value is not null and v.grp is null
    ) as u
    where p.human
        and case
            when u.unknown > 0
            then {{ error_function }}('human has ' || u.unknown || ' values that the judge has not, such as that of '
                || u.first_one || ': leave them out, or add them to the values')
            else true
        end
),
__ltr_values as {{ materialized }}(
    select
        v.grp,
        v.sys,
        v.query,
        v.value,
        p.value as judged
    from __ltr_filled as v
    left join __ltr_people as p
        on p.grp = v.grp and p.sys = v.sys and p.query = v.query
    where not v.human
),
{%- endcall %}
{#- The systems of each group, numbered. `has_values` is true if at least one value is not 0. Where lower is better, it is always true.
    The standard error of the mean is sd / sqrt(queries). #}
{%- call if_weighted() %}
__ltr_weighted_values as {{ stored }}(
    select
        v.grp,
        v.sys,
        v.value,
        w.weight,
        count(*) over (partition by v.grp, v.sys) as queries,
        sum(w.weight) over (partition by v.grp, v.sys) as total,
        sum(w.weight * v.value) over (partition by v.grp, v.sys) / sum(w.weight) over (partition by v.grp, v.sys) as mean
    from __ltr_values as v
    join __ltr_query_weights as w
        on w.grp = v.grp and w.query = v.query
),
{%- endcall %}
__ltr_members as {{ stored }}(
    select
        m.grp,
        m.sys,
        row_number() over (order by m.grp asc, m.sys asc) as member,
        m.has_values,
        coalesce(n.queries, 0) as queries,
        n.mean,
        n.sd,
        n.scale
    from (
        select
            v.grp,
            v.sys,
            coalesce(bool_or(v.counts), false) as has_values
        from __ltr_given as v
        group by v.grp, v.sys
    ) as m
    left join (
        select
            v.grp,
            v.sys,
            count(*) as queries,
            {{ scale_of("max(abs(v.value))") }} as scale,
            {%- call if_weighted() %}
            max(v.mean) as mean,
            case when {{ rounded("max(v.value)", scale_of("max(abs(v.value))")) }} = {{ rounded("min(v.value)", scale_of("max(abs(v.value))")) }} then 0e0
                else sqrt({{ scaled("v.weight", "v.value - v.mean", "v.value - v.mean", "v.total", "v.queries") }})
                end as sd
        from __ltr_weighted_values as v
            {%- endcall %}
            {%- call if_unweighted() %}
            avg(v.value) as mean,
            case when {{ rounded("max(v.value)", scale_of("max(abs(v.value))")) }} = {{ rounded("min(v.value)", scale_of("max(abs(v.value))")) }} then 0e0
                else stddev_samp(v.value) end as sd
        from __ltr_values as v
            {%- endcall %}
        group by v.grp, v.sys
    ) as n
        on n.grp = m.grp and n.sys = m.sys
)
