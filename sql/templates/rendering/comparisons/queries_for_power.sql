{#- Create the CTE __ltr_needed: the smallest number of queries that reaches the power, for each row (pair, dz) of
    __ltr_effects. Start from Guenther's approximation (1981), and check the neighbouring numbers. Above 10,000, keep the
    approximation. Also create the CTE __ltr_quantiles: the quantile t of each df and alpha. -#}
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
        from (values ('test', {{ level }}), ('power', 2 * (1 - {{ power }})){{ ", ('interval', " ~ interval_level ~ ")" if of_pairs }}) as a(role, alpha)
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
__ltr_quantiles as {{ stored }}(
    select
        d.df,
        d.alpha,
        {{ t_quantile_near("d.z", "d.alpha", "d.df") }} as t
    from (
        select distinct
            c.n - 1 as df,
            l.alpha,
            l.z
        from __ltr_candidates as c
        join __ltr_levels as l
            on l.role = 'test'
        {%- if of_pairs %}
        union
        select
            m.df,
            l.alpha,
            l.z
        from __ltr_moments as m
        cross join __ltr_levels as l
        where m.df is not null
        union
        select
            cast(m.queries - 1 as double),
            l.alpha,
            l.z
        from __ltr_members as m
        join __ltr_levels as l
            on l.role = 'test'
        where m.queries > 1
        union
        select
            l.df,
            l.corrected,
            -{{ normal_quantile("l.half") }}
        from (
            select distinct
                l.df,
                l.corrected,
                l.corrected / 2 as half
            from __ltr_pair_levels as l
            where l.df >= 1 and l.corrected > 0 and l.corrected < 1 and l.corrected <> l.plain
        ) as l
        {%- endif %}
    ) as d
),
__ltr_powers as {{ materialized }}(
    select
        c.pair,
        c.n,
        {{ t_power("c.n", "c.dz", "q.t") }} as power
    from __ltr_candidates as c
    join __ltr_quantiles as q
        on q.df = c.n - 1 and q.alpha = {{ level }}
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
