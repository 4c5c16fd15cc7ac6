{#- Raise an error unless all gates pass; otherwise return one row for each gate and system. -#}
{%- set lacking = "list_filter(range(1, len({measures}) + 1), lambda i: not list_contains(coalesce(list(s.gate), []), i - 1))" -%}
with __ltr_decided as materialized (
    select
        ({conditions})[d.gate + 1] as condition,
        d.*
    from (
        {{ gates | indent(8) }}
    ) as d
),
{#- The largest difference that the measure can have, at which the interval is cut in the message. #}
__ltr_bounded as (
    select
        d.*,
        case
            {%- for most, names in bounded_names.items() %}
            when abs(d.difference) <= {{ most }}
                and list_contains({{ names }}, regexp_extract(lower(({measures})[d.gate + 1]), '^([a-z0-9_]+)([@(].*)?$', 1)) then {{ most }}
            {%- endfor %}
        end as most
    from __ltr_decided as d
),
__ltr_said as materialized (
    select
        d.gate,
        d.system_b,
        d.undecided,
        d.failed,
        d.condition || ': ' || d.system_b || ' ' || printf('%.4f', d.mean_b) || ', ' || d.system_a || ' ' || printf('%.4f', d.mean_a)
        || ', difference ' || printf('%+.4f', d.difference)
            || coalesce(' [' || printf('%+.4f', greatest(d.low, -d.most)) || ', ' || printf('%+.4f', least(d.high, d.most)) || ']' || case when d.low < -d.most
            or d.high > d.most then '{{ mark }}' else '' end, '')
        || ', ' || d.queries || ' queries' || coalesce(', p ' || printf('%.4f', coalesce(d.p_adjusted, d.p)), '') as numbers,
        d.condition
    from __ltr_bounded as d
),
__ltr_verdict as (
    select
        case
            when len({{ lacking }}) > 0
            then error('not decided: the gates name measures that the values lack: '
                || list_aggregate(list_transform({{ lacking }}, lambda i: ({measures})[i]), 'string_agg', ', '))
            when count(s.undecided) > 0
            then error('not decided: ' || string_agg(s.condition || ': ' || s.system_b || ': ' || s.undecided, '; ' order by s.gate asc, s.system_b asc))
            when count(case when s.failed then 1 end) > 0
            then error('the gate failed: ' || string_agg(case when s.failed then s.numbers end, '; ' order by s.gate asc, s.system_b asc))
            else true
        end as passed
    from __ltr_said as s
)
select
    r.condition,
    r.system_a,
    r.system_b,
    r.queries,
    r.mean_a,
    r.mean_b,
    r.difference,
    r.low,
    r.high,
    r.p,
    r.p_adjusted
from __ltr_verdict as v
left join __ltr_decided as r
    on true
where v.passed
order by r.gate asc, r.system_a asc, r.system_b asc
