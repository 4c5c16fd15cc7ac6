{#- Create the CTE __ltr_needed: the smallest number of queries that reaches the power, for each row (pair, dz) of
    __ltr_effects. Start from Guenther's approximation (1981), and check the neighbouring numbers. Above 10,000, keep the
    approximation. -#}
{#- The levels whose quantiles are needed. The level of the power is 2 (1 - power). #}
__ltr_levels as {{ materialized }}(
    select
        u.role,
        u.alpha,
        -{{ normal_quantile("u.half") }} as z
    from (
        select
            a.role,
            a.alpha,
            a.alpha / 2 as half
        from (
            values
                ('test', {{ level }}),
                ('power', 2 * (1 - {{ power }}))
                {{- ",\n                ('interval', " ~ interval_level ~ ")" if interval_level is defined }}
        ) as a(role, alpha)
    ) as u
),
__ltr_normal as {{ materialized }}(
    {#- The approximation ignores the opposite tail, which is not negligible for large alpha. The tail at x has about the probability
        4 / (3 x + sqrt(x^2 + 8)) times the density (Sampford 1953). #}
    select
        n.z_test,
        n.z_power,
        4 * exp((n.z_power * n.z_power - n.x * n.x) / 2) / (3 * n.x + sqrt(n.x * n.x + 8)) as other_tail
    from (
        select
            l.z as z_test,
            p.z as z_power,
            greatest(0e0, 2 * l.z + p.z) as x
        from __ltr_levels as l
        join __ltr_levels as p
            on l.role = 'test' and p.role = 'power'
    ) as n
),
__ltr_starts as {{ materialized }}(
    select
        e.pair,
        abs(e.dz) as dz,
        least(1e9, greatest(2, ceil(power((n.z_test + n.z_power) / e.dz, 2) + n.z_test * n.z_test / 2))) as start,
        greatest(2, ceil(power((n.z_test + n.z_power - n.other_tail) / e.dz, 2) + n.z_test * n.z_test / 2)) as centre
    from __ltr_effects as e
    cross join __ltr_normal as n
),
__ltr_candidates as {{ materialized }}(
    select
        c.pair,
        c.dz,
        cast(c.n as double) as n
    from (
        select
            s.pair,
            s.dz,
            {{ numbers_between("cast(greatest(2, s.centre - case when s.centre > 20 then 3 else 20 end) as bigint)", "cast(s.centre as bigint) + 2") }} as n
        from __ltr_starts as s
        where s.start <= 10000
    ) as c
),
__ltr_quantiles_of_candidates as {{ stored }}(
    select
        d.n,
        {{ t_quantile_near("d.z", "d.alpha", "d.df") }} as t
    from (
        select distinct
            c.n,
            c.n - 1 as df,
            l.alpha,
            l.z
        from __ltr_candidates as c
        join __ltr_levels as l
            on l.role = 'test'
    ) as d
),
__ltr_powers as {{ materialized }}(
    select
        c.pair,
        c.n,
        {{ t_power("c.n", "c.dz", "q.t") }} as power
    from __ltr_candidates as c
    join __ltr_quantiles_of_candidates as q
        on q.n = c.n
),
__ltr_needed as (
    select
        s.pair,
        cast(coalesce(min(case when p.power >= {{ power }} then p.n end), max(s.start)) as bigint) as queries_needed
    from __ltr_starts as s
    left join __ltr_powers as p
        on p.pair = s.pair
    group by s.pair
)
