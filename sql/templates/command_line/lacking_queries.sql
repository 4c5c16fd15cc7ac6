{#- Count the queries that one of two systems lacks because it has no value, or retrieved no documents and may not have been asked. -#}
{%- macro lacks(row) -%}
{{ row }}.{{ retrieved }} = 0{% if asked %} and not coalesce({{ row }}.{{ asked }}, false){% endif %}
{%- endmacro -%}
{%- macro same(row) -%}
{% for key in keys %} and {{ row }}.{{ key }} is not distinct from q.{{ key }}{% endfor %}
{%- endmacro -%}
with __ltr_systems as (
    select distinct v.system
    from {{ relation }} as v
),
__ltr_pairs as (
    select
        a.system as system_a,
        b.system as system_b
    from __ltr_systems as a
    cross join __ltr_systems as b
    {%- if baseline is none %}
    where a.system < b.system
    {%- else %}
    where a.system = {{ string(baseline) }} and b.system <> a.system
    {%- endif %}
),
__ltr_queries as (
    select distinct
        {%- for key in keys %}
        v.{{ key }}{{ "" if loop.last else "," }}
        {%- endfor %}
    from {{ relation }} as v
)
{%- for measure in measures %}
select
    p.system_a,
    p.system_b,
    {{ string(measure) }} as measure,
    count(distinct q.query_id) as how_many,
    list_aggregate(list_sort(list(distinct q.query_id), 'asc')[:3], 'string_agg', ', ') as first_queries
from __ltr_pairs as p
cross join __ltr_queries as q
left join {{ relation }} as a
    on a.system = p.system_a{{ same("a") }}
left join {{ relation }} as b
    on b.system = p.system_b{{ same("b") }}
where (a.{{ identifier(measure) }} is null) <> (b.{{ identifier(measure) }} is null)
    or ({{ lacks("a") }} and coalesce(b.{{ retrieved }}, 1) > 0)
    or ({{ lacks("b") }} and coalesce(a.{{ retrieved }}, 1) > 0)
group by p.system_a, p.system_b
{%- if not loop.last %}
union all
{%- endif %}
{%- endfor %}
