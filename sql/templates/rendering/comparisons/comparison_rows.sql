{#- Return the comparisons: one row for each pair of systems. `details` are further columns. -#}
select
    {{ strata_output }}r.measure,
    r.system_a,
    r.system_b,
    r.mean_a,
    r.mean_b,
    r.difference,
    r.low,
    r.high,
    r.p_adjusted,
    r.verdict
    {%- for name in details %},
    r.{{ name }}
    {%- endfor %}
    {%- call if_human() %},
    r.judged,
    r.llm_difference,
    r.human_difference,
    r.favour,
    r.favour_low,
    r.favour_high,
    r.llm_weight,
    r.worth
    {%- endcall %}
    {%- call if_clustered() %},
    r.clusters,
    r.design_effect
    {%- endcall %}
    {%- call if_across() %},
    r.datasets,
    r.fewest
    {%- endcall %}
from __ltr_compared as r
order by r.pair asc
