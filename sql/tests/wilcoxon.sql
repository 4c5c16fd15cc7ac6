/*
summary = "Wilcoxon's signed rank test: are the differences symmetric about zero? Exact up to 50 differing queries (25 if differences tie), otherwise with the normal approximation. Not for thousands of queries, because it then finds asymmetry even if the means are equal."
statistic = "sum of the ranks of the queries where b is above a"
too_few = "power(2e0, 1 - m.above - m.below) > {{ level }}"
reference = "Wilcoxon 1945, Biometrics Bulletin 1; zeros are dropped, and the variance is corrected for ties"
*/
with __ltr_sizes as {{ stored }}(
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
__ltr_doubled as (
    select
        s.pair,
        s.tied,
        s.plus,
        cast(2
            * (sum(s.tied) over (partition by s.pair order by s.size asc rows between unbounded preceding and current row) - s.tied)
            + s.tied + 1 as bigint) as doubled
    from __ltr_sizes as s
),
__ltr_signed as {{ stored }}(
    select
        r.pair,
        cast(sum(r.tied) as bigint) as n,
        cast(sum(r.plus * r.doubled) as bigint) as plus,
        cast(sum(r.tied * r.doubled) as bigint) as total,
        sum(cast(r.tied as double) * r.tied * r.tied - r.tied) as ties,
        {{ sorted_list(struct(doubled="r.doubled", tied="r.tied")) }} as pattern
    from __ltr_doubled as r
    group by r.pair
),
{#- For each sum, count the subsets of the ranks that have it. Represent each doubled rank by a list of that many
    zeros: prepending it to the counts shifts them by the rank. Pairs with the same pattern of ties share the counts. #}
{%- set ranks = "flatten(" ~ each("p.pattern", "g", each(numbers_below("g['tied']"), "i", zeros("g['doubled']"))) ~ ")" %}
{%- set counted = sum_pairwise(concatenation("c", "z"), concatenation("z", "c")) %}
__ltr_counted as {{ stored }}(
    select
        p.pattern,
        {{ fold(ranks, "c", "z", counted, array("1e0")) }} as subsets
    from (
        select distinct s.pattern
        from __ltr_signed as s
        where s.n <= case when s.ties = 0 then 50 else 25 end
    ) as p
),
__ltr_exact as (
    select
        s.pair,
        {{ sum_of(first("c.subsets", "least(s.plus, s.total - s.plus) + 1")) }} / power(2e0, s.n) as tail
    from __ltr_signed as s
    join __ltr_counted as c
        on c.pattern = s.pattern
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
