{#- Return the comparisons: one row for each pair of systems. -#}
select
    {{ strata_output }}r.measure,
    r.system_a,
    r.system_b,
    r.queries,
    r.only_a,
    r.only_b,
    r.mean_a,
    r.mean_b,
    r.difference,
    r.relative,
    r.sd,
    r.confidence,
    r.low,
    r.high,
    r.uncorrected_low,
    r.uncorrected_high,
    r.relative_low,
    r.relative_high,
    r.dz,
    r.gz,
    r.wins,
    r.ties,
    r.losses,
    r.superiority,
    r.test,
    r.statistic,
    r.df,
    r.p,
    r.p_adjusted,
    r.p_not_worse,
    r.p_worse,
    r.p_equivalent,
    r.mde,
    r.queries_needed,
    r.verdict
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
