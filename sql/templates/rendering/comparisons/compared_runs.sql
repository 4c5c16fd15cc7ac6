{#- Compare systems by measures that have one value for a run. `relation` holds their values, and those of the replicates of the
    bootstrap, which the column `replicate` numbers. The standard error of the t interval is the standard deviation of the
    replicates. There is no test, because no query has a value. -#}
with __ltr_rows as (
    select
        struct_pack({{ stratum }}) as stratum,
        v.{{ system }} as system,
        v.{{ replicate }} as replicate,
        unnest(range(len({{ names }}))) as position,
        unnest({{ names }}) as measure,
        unnest({{ numbers }}) as value
    from {{ relation }} as v
),
{#- Average over repeats. #}
__ltr_cells as materialized (
    select
        r.stratum,
        r.system,
        r.replicate,
        r.position,
        r.measure,
        avg(r.value) as value
    from __ltr_rows as r
    group by r.stratum, r.system, r.replicate, r.position, r.measure
),
__ltr_listed as materialized (
    select distinct
        struct_pack({{ stratum }}) as stratum,
        v.{{ system }} as system,
        v.query_id
    from {{ lists }} as v
),
{% include "rendering/comparisons/compared_systems.sql" %},
__ltr_pairs as (
    select
        a.system as system_a,
        b.system as system_b
    from __ltr_systems as a
    join __ltr_systems as b
        on b.sys <> a.sys
    where case when {{ baseline }} is null then a.sys < b.sys else a.base > 0 and b.base = 0 end
),
__ltr_differences as materialized (
    select
        a.stratum,
        a.position,
        a.measure,
        p.system_a,
        p.system_b,
        a.replicate,
        a.value as a,
        b.value as b,
        b.value - a.value as d
    from __ltr_pairs as p
    join __ltr_cells as a
        on a.system = p.system_a
    join __ltr_cells as b
        on b.system = p.system_b and b.stratum = a.stratum and b.measure = a.measure and b.replicate is not distinct from a.replicate
),
{%- set scale = scale_of("max(greatest(abs(d.a), abs(d.b)))") %}
__ltr_errors as (
    select
        d.stratum,
        d.measure,
        d.system_a,
        d.system_b,
        case when {{ rounded("max(d.d)", scale) }} = {{ rounded("min(d.d)", scale) }} then 0e0 else stddev_samp(d.d) end as error
    from __ltr_differences as d
    where d.replicate is not null
    group by d.stratum, d.measure, d.system_a, d.system_b
),
__ltr_counts as (
    select
        p.system_a,
        p.system_b,
        l.stratum,
        count(distinct case when l.system = p.system_a then l.query_id end) as queries_a,
        count(distinct case when l.system = p.system_b then l.query_id end) as queries_b,
        count(distinct l.query_id) as queries
    from __ltr_pairs as p
    join __ltr_listed as l
        on l.system in (p.system_a, p.system_b)
    group by p.system_a, p.system_b, l.stratum
),
__ltr_sizes as (
    select
        l.stratum,
        count(distinct l.query_id) - 1 as df
    from __ltr_listed as l
    group by l.stratum
),
__ltr_quantiles as materialized (
    select
        f.df,
        {{ t_quantile(interval_level, "f.df") }} as t
    from (
        select distinct cast(z.df as double) as df
        from __ltr_sizes as z
        where z.df > 0
    ) as f
),
__ltr_compared as (
    select
        row_number() over (order by r.stratum asc, r.position asc, r.system_a asc, r.system_b asc) as pair,
        r.stratum,
        r.measure,
        r.system_a,
        r.system_b,
        r.a as mean_a,
        r.b as mean_b,
        r.d as difference,
        r.d - q.t * e.error as low,
        r.d + q.t * e.error as high,
        case when r.d is null then 'no values' else 'no test' end as verdict,
        n.queries_a + n.queries_b - n.queries as queries,
        n.queries - n.queries_b as only_a,
        n.queries - n.queries_a as only_b,
        r.d / nullif(r.a, 0) as relative,
        case when e.error is not null then 1 - {{ interval_level }} end as confidence,
        r.d - q.t * e.error as uncorrected_low,
        r.d + q.t * e.error as uncorrected_high,
        {%- for name in ["relative_low", "relative_high", "sd", "dz", "gz", "superiority", "statistic", "df", "mde"] %}
        cast(null as double) as {{ name }},
        {%- endfor %}
        {%- for name in ["p", "p_adjusted", "p_not_worse", "p_worse", "p_equivalent"] %}
        cast(null as double) as {{ name }},
        {%- endfor %}
        {%- for name in ["wins", "ties", "losses"] %}
        cast(null as bigint) as {{ name }},
        {%- endfor %}
        cast(null as varchar) as test
    from __ltr_differences as r
    join __ltr_counts as n
        on n.stratum = r.stratum and n.system_a = r.system_a and n.system_b = r.system_b
    join __ltr_sizes as z
        on z.stratum = r.stratum
    left join __ltr_errors as e
        on e.stratum = r.stratum and e.measure = r.measure and e.system_a = r.system_a and e.system_b = r.system_b
    left join __ltr_quantiles as q
        on q.df = z.df
    where r.replicate is null
),
__ltr_needed as (
    select
        r.pair,
        cast(null as bigint) as queries_needed
    from __ltr_compared as r
)
{% include "rendering/comparisons/comparison_rows.sql" %}
