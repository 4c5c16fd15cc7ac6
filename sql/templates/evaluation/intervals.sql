{#- Read the intervals of means from the comparison of the values with 0. -#}
select
    {% for key in keys %}c.{{ key }}, {% endfor %}list_extract({{ names }}, cast(substring(c.measure, 2) as integer)) as measure,
    c.mean_b as mean,
    case when c.sd = 0 then 0e0 else c.difference / nullif(c.statistic, 0) end as stderr,
    c.low,
    c.high
    {%- if human %},
    c.judged,
    c.llm_difference as llm_mean,
    c.human_difference as human_mean,
    c.llm_weight,
    c.worth
    {%- endif %}
    {%- if clustered %},
    c.clusters,
    c.design_effect
    {%- endif %}
from (
    {{ compared | indent(4) }}
) as c
