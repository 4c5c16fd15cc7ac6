{#- Return the numbers that gates decide by: differences beyond the margin, and one-sided p of t tests against the margin. -#}
select
    r.measure,
    cast(r.system_a as varchar) as system_a,
    cast(r.system_b as varchar) as system_b,
    r.queries,
    r.mean_a,
    r.mean_b,
    r.difference,
    r.low,
    r.high,
    r.low is not null and r.relative_low is null as near_zero,
    g.sense,
    m.scale,
    r.verdict = 'no values' as no_values,
    r.verdict = 'too few judged queries' as few_judged,
    r.verdict = 'too few clusters' as few_clusters,
    m.ties = m.queries as equal,
    {{ if_across("r.fewest") }}{{ if_by_query("2") }} as fewest,
    m.excess - g.sense * m.difference as margin,
    {#- The loss is positive if b is worse by more than the margin, the gain if b is better by more than the margin. #}
    -m.excess as loss,
    m.shortfall as gain,
    sqrt(m.excess_variance) as sd,
    m.df,
    case when m.sd > 0 then m.spread / sqrt(m.queries) end as error,
    m.information,
    {{ sequential }} and r.verdict = 'too few queries' as few_queries,
    u.p_worse,
    u.p_better,
    u.p_not_worse,
    u.p_not_better
from __ltr_compared as r
join __ltr_moments as m
    on m.pair = r.pair
join __ltr_groups as g
    on g.grp = r.grp
left join __ltr_tails as u
    on u.pair = r.pair
