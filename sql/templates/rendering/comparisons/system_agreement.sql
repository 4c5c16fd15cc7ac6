{#- Compare the orders of the systems: under two measures, or under one measure in two strata. `agreement` is the query of the measures of
    agreement, over the pairs of places in __ltr_ranked_twice. -#}
,
{% include "rendering/comparisons/places.sql" %},
__ltr_order_pairs as {{ stored }}(
    select
        row_number() over (order by a.grp asc, b.grp asc) as query_id,
        a.grp as grp_a,
        b.grp as grp_b,
        a.stratum as stratum_a,
        b.stratum as stratum_b,
        a.measure as measure_a,
        b.measure as measure_b
    from __ltr_groups as a
    join __ltr_groups as b
        on b.grp > a.grp and (b.stratum_number = a.stratum_number) <> (b.measure = a.measure)
),
__ltr_ranked_twice as {{ stored }}(
    select
        o.query_id,
        o.grp_a,
        o.grp_b,
        a.sys,
        a.place as rank_a,
        b.place as rank_b
    from __ltr_order_pairs as o
    join __ltr_places as a
        on a.grp = o.grp_a and a.mean is not null
    join __ltr_places as b
        on b.grp = o.grp_b and b.mean is not null and b.sys = a.sys
),
__ltr_agreement as (
    {{ agreement | indent(4) }}
),
{#- The pairs of systems that are in one order in a, and in the other in b. #}
__ltr_swaps as (
    select
        s.query_id,
        x.pair,
        {{ struct(
            system_a="x.system_a", system_b="x.system_b", difference_a="x.difference", difference_b="y.difference",
            p_a="x.p_adjusted", p_b="y.p_adjusted", verdict_a="x.verdict", verdict_b="y.verdict"
        ) }} as swap,
        x.verdict in ('better', 'worse') as shown_a,
        y.verdict in ('better', 'worse') as shown_b
    from __ltr_ranked_twice as s
    join __ltr_ranked_twice as t
        on t.query_id = s.query_id and (s.rank_a - t.rank_a) * (s.rank_b - t.rank_b) < 0
    join __ltr_compared as x
        on x.grp = s.grp_a and x.sys_a = s.sys and x.sys_b = t.sys
    join __ltr_compared as y
        on y.grp = s.grp_b and y.sys_a = s.sys and y.sys_b = t.sys
),
__ltr_swapped as (
    select
        s.query_id,
        count(*) as swapped,
        count(case when s.shown_a then 1 end) as shown_a,
        count(case when s.shown_b then 1 end) as shown_b,
        count(case when s.shown_a and s.shown_b then 1 end) as contradicted,
        {{ each(sorted_list(struct(pair="s.pair", swap="s.swap")), "s", "s['swap']") }} as swaps
    from __ltr_swaps as s
    group by s.query_id
)
select
    {{ strata_of_orders }}o.measure_a,
    o.measure_b,
    n.systems,
    g.tau,
    g.tau_b,
    g.tau_ap,
    g.weighted_tau,
    coalesce(s.swapped, 0) as swapped,
    coalesce(s.shown_a, 0) as shown_a,
    coalesce(s.shown_b, 0) as shown_b,
    coalesce(s.contradicted, 0) as contradicted,
    coalesce(s.swaps, {{ array() }}) as swaps
from __ltr_order_pairs as o
left join (
    select
        r.query_id,
        count(*) as systems
    from __ltr_ranked_twice as r
    group by r.query_id
) as n
    on n.query_id = o.query_id
left join __ltr_agreement as g
    on g.query_id = o.query_id
left join __ltr_swapped as s
    on s.query_id = o.query_id
order by o.query_id asc
