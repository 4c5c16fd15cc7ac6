{#- Rank the systems of each measure by their means. Compare each system with the baseline, and its mean with the best mean. The
    corrected interval has the level alpha * p / p_adjusted, at which the correction decides this comparison. It therefore excludes 0 if
    and only if the corrected p of the t test is at most alpha. -#}
,
{% include "rendering/comparisons/places.sql" %},
__ltr_corrections as materialized (
    select
        c.pair,
        f.tests,
        m.df,
        {{ level }} * case when c.p_adjusted < 1 then coalesce(c.p / nullif(c.p_adjusted, 0), 1e0 / f.tests) else least(1e0 / f.tests, c.p) end as level
    from __ltr_compared as c
    join __ltr_moments as m
        on m.pair = c.pair
    left join __ltr_ranked as f
        on f.pair = c.pair
),
__ltr_corrected as materialized (
    select
        d.df,
        d.level,
        {{ t_quantile("d.level", "d.df") }} as t
    from (
        select distinct l.df, l.level
        from __ltr_corrections as l
        where l.level is not null
    ) as d
)
select
    {% include "rendering/comparisons/place_columns.sql" %}
    r.average - first_value(r.average) over (partition by r.grp order by r.place asc, r.sys asc) as difference_from_best,
    c.difference,
    c.relative,
    c.low as difference_low,
    c.high as difference_high,
    l.tests,
    1 - l.level as corrected_confidence,
    case when l.level is null or c.sd = 0 then c.low else c.difference - t.t * c.spread / sqrt(c.queries) end as corrected_low,
    case when l.level is null or c.sd = 0 then c.high else c.difference + t.t * c.spread / sqrt(c.queries) end as corrected_high,
    c.wins,
    c.ties,
    c.losses,
    c.p,
    c.p_adjusted,
    c.mde,
    c.verdict
from __ltr_places as r
left join __ltr_compared as c
    on c.grp = r.grp and c.sys_b = r.sys
left join __ltr_corrections as l
    on l.pair = c.pair
left join __ltr_corrected as t
    on t.df = l.df and t.level = l.level
order by r.grp asc, r.place asc, r.sys asc
