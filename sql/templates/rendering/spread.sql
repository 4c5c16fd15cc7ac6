{#- The distribution of measures over queries: one row for each combination of key values and measure. -#}
{%- from "shared/quantiles.sql" import t_of_queries with context -%}
with __ltr_cells as {{ stored }}(
    select
        {{ struct_of(stratum) }} as stratum,
        {{ text("v.query_id") }} as query_id,
        {{ if_weighted("v.__ltr_weight") }}{{ if_unweighted("1e0") }} as weight,
        {{ measures_as_rows(names, numbers) }}
    from {{ relation }} as v
),
__ltr_means as (
    select
        c.stratum,
        c.measure,
        c.position,
        count(case when c.weight > 0 then c.value end) as queries,
        count(case when c.weight > 0 and c.value is null then 1 end) as undefined,
        sum(case when c.value is not null then c.weight end) as weight,
        sum(c.weight * c.value) / nullif(sum(case when c.value is not null then c.weight end), 0) as mean
    from __ltr_cells as c
    group by c.stratum, c.measure, c.position
    having case
        when array_contains({{ weighted_names }}, regexp_extract(lower(c.measure), '^([a-z0-9_]+)([@(].*)?$', 1))
        then {{ error_function }}('measure ' || c.measure || ' {{ own_weights }}')
        else true
    end
),
__ltr_cumulated as (
    select
        c.stratum,
        c.position,
        c.value,
        c.weight,
        m.mean,
        m.weight as total,
        m.queries,
        {#- Share of the weight up to this value; 1e-12 absorbs rounding. A weighted quantile is the smallest
            value whose share reaches its level. #}
        sum(c.weight)
            over (partition by c.stratum, c.position order by c.value asc, c.query_id asc rows between unbounded preceding and current row)
            / m.weight + 1e-12 as share
    from __ltr_cells as c
    join __ltr_means as m
        on m.stratum = c.stratum and m.position = c.position
    where c.value is not null and c.weight > 0
),
__ltr_spread as (
    select
        c.stratum,
        c.position,
        sqrt(sum(c.weight * power(c.value - c.mean, 2)) / max(c.total) * max(c.queries) / nullif(max(c.queries) - 1, 0)) as stddev,
        sqrt(sum(power(c.weight * (c.value - c.mean), 2)) * max(c.queries) / nullif(max(c.queries) - 1, 0)) / max(c.total) as stderr,
        min(c.value) as min,
        {%- for name, share in [("p10", "0.1e0"), ("p25", "0.25e0"), ("median", "0.5e0"), ("p75", "0.75e0"), ("p90", "0.9e0")] %}
        {{ if_weighted("min(case when c.share >= " ~ share ~ " then c.value end)") }}{{ if_unweighted(quantile("c.value", share)) }} as {{ name }},
        {%- endfor %}
        max(c.value) as max,
        count(case when c.value = 0 then 1 end) as zeros,
        exp(sum(c.weight * ln(greatest(c.value, 1e-5))) / max(c.total)) as geometric,
        power(max(c.total), 2) / sum(c.weight * c.weight) as effective_queries
    from __ltr_cumulated as c
    group by c.stratum, c.position
)
select
    {{ strata_output }}r.measure,
    r.queries,
    r.undefined,
    r.mean,
    s.stddev,
    s.stderr,
    r.mean - t.t * s.stderr as low,
    r.mean + t.t * s.stderr as high,
    s.min,
    s.p10,
    s.p25,
    s.median,
    s.p75,
    s.p90,
    s.max,
    coalesce(s.zeros, 0) as zeros,
    s.geometric,
    s.effective_queries
from __ltr_means as r
left join __ltr_spread as s
    on s.stratum = r.stratum and s.position = r.position
left join (
    {{ t_of_queries("__ltr_means", level) | indent(4) }}
) as t
    on t.queries = r.queries
order by r.stratum asc, r.position asc
