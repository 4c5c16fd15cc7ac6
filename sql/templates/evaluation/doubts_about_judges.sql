{#- Return, for each measure, the range of the judge's values, the number of values in which people differ, and Welch's t test of the
    judge's means over systems: queries that people judged against the others. -#}
{%- set identified %}{% for key in keys %}, v.{{ key }} as key_{{ loop.index }}{% endfor %}{% endset -%}
{%- set names %}{% for key in keys %}, r.key_{{ loop.index }}{% endfor %}{% endset -%}
with __ltr_listed as (
    {%- for name, column in measures %}
    select
        {{ loop.index }} as position,
        {{ name }} as measure{{ identified }},
        cast(v.{{ system }} as {{ text_type }}) as system,
        cast(v.{{ column }} as double) as value,
        v.{{ human }} as human
    from {{ relation }} as v
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
),
__ltr_rankings as (
    select
        r.position,
        r.measure{{ names }},
        avg(case when not r.human then r.value end) as llm,
        avg(case when r.human then r.value end) as people
    from __ltr_listed as r
    group by r.position, r.measure{{ names }}, r.system
),
__ltr_queries as (
    select
        r.position,
        r.measure,
        min(r.llm) as least,
        max(r.llm) as most,
        sum(case when abs(r.llm - r.people) > 1e-12 then 1 else 0 end) as different,
        count(r.people) > 0 as judged,
        avg(r.llm) as value
    from __ltr_rankings as r
    group by r.position, r.measure{{ names }}
),
__ltr_samples as (
    select
        q.position,
        q.measure,
        min(q.least) as least,
        max(q.most) as most,
        sum(q.different) as different,
        sum(case when q.judged then 1 else 0 end) as queries,
        avg(case when q.judged then q.value end) as mean_judged,
        avg(case when not q.judged then q.value end) as mean_others,
        var_samp(case when q.judged then q.value end) / nullif(count(case when q.judged then q.value end), 0) as error_judged,
        var_samp(case when not q.judged then q.value end) / nullif(count(case when not q.judged then q.value end), 0) as error_others,
        count(case when q.judged then q.value end) - 1 as df_judged,
        count(case when not q.judged then q.value end) - 1 as df_others
    from __ltr_queries as q
    group by q.position, q.measure
)
select
    s.measure,
    s.least,
    s.most,
    s.mean_judged,
    s.mean_others,
    {{ t_p("s.t", "s.df") }} as p,
    s.different,
    s.queries
from (
    select
        s.*,
        (s.mean_judged - s.mean_others) / nullif(sqrt(s.error_judged + s.error_others), 0) as t,
        power(s.error_judged + s.error_others, 2)
            / nullif(s.error_judged * s.error_judged / nullif(s.df_judged, 0) + s.error_others * s.error_others / nullif(s.df_others, 0), 0) as df
    from __ltr_samples as s
) as s
order by s.position asc
