{#- Create the CTE __ltr_unpaired: the difference of two periods without common queries, by Welch's unequal variances. The standard error is
    spread / sqrt(queries), as that of a mean difference, and `queries` is the smaller number. The variance of a single query is
    unknown. -#}
__ltr_unpaired as {{ stored }}(
    select
        u.pair,
        u.queries,
        u.mean_a,
        u.mean_b,
        u.mean_b - u.mean_a as mean,
        nullif(sqrt((u.error_a + u.error_b) * u.queries), 0) as spread,
        u.error_a * u.queries as variance_a,
        u.scale,
        power(u.error_a + u.error_b, 2) / nullif(u.error_a * u.error_a / (u.queries_a - 1) + u.error_b * u.error_b / (u.queries_b - 1), 0) as df
    from (
        select
            p.pair,
            p.queries_a,
            p.queries_b,
            least(p.queries_a, p.queries_b) as queries,
            a.mean as mean_a,
            b.mean as mean_b,
            case when p.queries_a > 1 then a.sd * a.sd / p.queries_a end as error_a,
            case when p.queries_b > 1 then b.sd * b.sd / p.queries_b end as error_b,
            greatest(a.scale, b.scale) as scale
        from __ltr_pairs as p
        join __ltr_members as a
            on a.member = p.member_a
        join __ltr_members as b
            on b.member = p.member_b
        left join (
            select distinct d.pair
            from __ltr_differences as d
        ) as c
            on c.pair = p.pair
        where c.pair is null
    ) as u
),
