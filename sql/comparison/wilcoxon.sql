/*
summary = "Wilcoxon's signed rank test: are the differences symmetric about zero? Exact up to 50 differing queries (25 if differences tie), otherwise with the normal approximation. Not for thousands of queries, because it then finds asymmetry even if the means are equal."
statistic = "sum of the ranks of the queries where b is above a"
too_few = "power(2e0, 1 - m.above - m.below) > {{ alpha }}"
reference = "Wilcoxon 1945, Biometrics Bulletin 1; zeros are dropped, and the variance is corrected for ties"
*/
with recursive __ltr_sizes as materialized (
    select
        d.pair,
        abs(d.rounded) as size,
        count(*) as tied,
        sum(case when d.rounded > 0 then 1 else 0 end) as plus
    from __ltr_differences as d
    where d.rounded <> 0
    group by d.pair, abs(d.rounded)
),
{#- Ranks of the sizes, doubled, because the average rank of tied sizes may end in .5. #}
__ltr_doubled as materialized (
    select
        s.pair,
        s.tied,
        s.plus,
        cast(2 * (sum(s.tied) over (partition by s.pair order by s.size asc rows between unbounded preceding and current row) - s.tied) + s.tied + 1 as bigint) as doubled
    from __ltr_sizes as s
),
__ltr_signed as materialized (
    select
        r.pair,
        cast(sum(r.tied) as bigint) as n,
        cast(sum(r.plus * r.doubled) as bigint) as plus,
        cast(sum(r.tied * r.doubled) as bigint) as total,
        sum(cast(r.tied as double) * r.tied * r.tied - r.tied) as ties,
        list(struct_pack(doubled := r.doubled, tied := r.tied) order by r.doubled) as pattern
    from __ltr_doubled as r
    group by r.pair
),
{#- Pairs with the same pattern of ties share one distribution. #}
__ltr_patterns as materialized (
    select
        s.pattern,
        s.n,
        row_number() over () as id
    from (
        select distinct s.pattern, s.n
        from __ltr_signed as s
        where s.n <= case when s.ties = 0 then 50 else 25 end
    ) as s
),
__ltr_items as materialized (
    select
        e.id,
        e.item['doubled'] as doubled,
        row_number() over (partition by e.id order by e.item['doubled'] asc) as i
    from (
        select
            g.id,
            g.item,
            unnest(range(g.item['tied'])) as copy
        from (
            select
                p.id,
                unnest(p.pattern) as item
            from __ltr_patterns as p
        ) as g
    ) as e
),
{#- Count the subsets of the first i ranks, by their sum. #}
__ltr_subsets as (
    select
        p.id,
        cast(0 as bigint) as i,
        cast(0 as bigint) as total,
        1e0 as subsets
    from __ltr_patterns as p
    union all
    select
        s.id,
        s.i + 1,
        s.total + k.taken * d.doubled,
        sum(s.subsets)
    from __ltr_subsets as s
    join __ltr_items as d
        on d.id = s.id and d.i = s.i + 1
    cross join (values (0), (1)) as k(taken)
    group by s.id, s.i, s.total + k.taken * d.doubled
),
__ltr_exact as (
    select
        s.pair,
        sum(b.subsets) / power(2e0, max(p.n)) as tail
    from __ltr_signed as s
    join __ltr_patterns as p
        on p.pattern = s.pattern and p.n = s.n
    join __ltr_subsets as b
        on b.id = p.id and b.i = p.n and b.total <= least(s.plus, s.total - s.plus)
    group by s.pair
)
select
    m.pair,
    coalesce(s.plus, 0) / 2e0 as statistic,
    cast(null as double) as df,
    case
        when s.pair is null then 1e0
        else least(1e0, coalesce(2 * e.tail, {{ normal_p("(s.plus / 2e0 - s.total / 4e0) / sqrt(s.n * (s.n + 1e0) * (2e0 * s.n + 1) / 24 - s.ties / 48)") }}))
    end as p,
    2 * s.plus - s.total as direction
from __ltr_moments as m
left join __ltr_signed as s
    on s.pair = m.pair
left join __ltr_exact as e
    on e.pair = m.pair
where m.queries > 0
