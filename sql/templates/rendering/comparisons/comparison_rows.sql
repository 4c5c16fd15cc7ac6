{#- Return the comparisons: one row for each pair of systems. `details` are further columns. The number of queries needed is
    joined here, because engines do not compute what no query reads. -#}
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
    {{ "n" if name == "queries_needed" else "r" }}.{{ name }}
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
{%- if "queries_needed" in details %}
left join __ltr_needed as n
    on n.pair = r.pair
{%- endif %}
order by r.pair asc
