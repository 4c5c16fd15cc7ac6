{#- Rank the systems of each measure by their means. Compare each system with the baseline, and its mean with the best mean. -#}
,
{% include "rendering/comparisons/places.sql" %}
select
    {% include "rendering/comparisons/place_columns.sql" %}
    r.average - first_value(r.average) over (partition by r.grp order by r.place asc, r.sys asc) as difference_from_best,
    c.queries as common_queries,
    c.only_a as only_baseline,
    c.only_b as only_system,
    c.difference,
    c.relative,
    f.tests,
    c.confidence as difference_confidence,
    c.low as difference_low,
    c.high as difference_high,
    c.uncorrected_low,
    c.uncorrected_high,
    c.wins,
    c.ties,
    c.losses,
    c.p,
    c.p_adjusted,
    c.mde,
    c.verdict
    {%- call if_human() %},
    c.judged,
    c.llm_weight,
    c.worth
    {%- endcall %}
    {%- call if_clustered() %},
    c.clusters,
    c.design_effect
    {%- endcall %}
from __ltr_places as r
left join __ltr_compared as c
    on c.grp = r.grp and c.sys_b = r.sys
left join __ltr_ranked as f
    on f.pair = c.pair
order by r.grp asc, r.place asc, r.sys asc
