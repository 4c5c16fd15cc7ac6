/*
summary = "Fisher's randomization test: how often is the mean difference at least as large if each query may exchange its two values? Exact for few queries, otherwise with random signs."
statistic = "mean difference"
too_few = "power(2e0, 1 - m.above - m.below) > {{ alpha }}"
reference = "Fisher 1935, The Design of Experiments; Smucker, Allan & Carterette 2007, CIKM"
*/
with recursive __ltr_differing as (
    select
        m.pair,
        m.above + m.below as n,
        m.above + m.below <= case when count(*) over (partition by m.grp) > 20 then 19 else 30 end as exact
    from __ltr_moments as m
),
{#- Exact test: compute all signed sums of each half of the differences. For each sum of one half, count the sums of the other half
    with which the total reaches the observed sum. #}
__ltr_terms as materialized (
    select
        d.pair,
        d.d,
        row_number() over (partition by d.pair order by d.d asc, d.query asc) as i,
        n.n
    from __ltr_differences as d
    join __ltr_differing as n
        on n.pair = d.pair and n.exact
    where d.rounded <> 0
),
__ltr_bars as materialized (
    select
        t.pair,
        max(t.n) as n,
        abs(sum(t.d)) - 1e-12 * sum(abs(t.d)) as bar
    from __ltr_terms as t
    group by t.pair
),
__ltr_halves as (
    select
        b.pair,
        h.half,
        cast(case when h.half = 0 then 0 else floor(b.n / 2) end as bigint) as i,
        cast(case when h.half = 0 then floor(b.n / 2) else b.n end as bigint) as last,
        0e0 as total
    from __ltr_bars as b
    cross join (values (0), (1)) as h(half)
    union all
    select
        h.pair,
        h.half,
        h.i + 1,
        h.last,
        h.total + s.sign * t.d
    from __ltr_halves as h
    join __ltr_terms as t
        on t.pair = h.pair and t.i = h.i + 1
    cross join (values (-1e0), (1e0)) as s(sign)
    where h.i < h.last
),
__ltr_reached as (
    select
        x.pair,
        x.on_left,
        sum(x.on_right) over (partition by x.pair order by x.x desc, x.on_right desc rows between unbounded preceding and current row) as reached
    from (
        select
            h.pair,
            case when h.half = 0 then b.bar - h.total else h.total end as x,
            1 - h.half as on_left,
            h.half as on_right
        from __ltr_halves as h
        join __ltr_bars as b
            on b.pair = h.pair
        where h.i = h.last
    ) as x
),
__ltr_exact as (
    select
        r.pair,
        least(1e0, 2 * sum(cast(r.reached * r.on_left as double)) / power(2e0, max(b.n))) as p
    from __ltr_reached as r
    join __ltr_bars as b
        on b.pair = r.pair
    group by r.pair
),
{#- Random signs: the signed sum of the differences b - a is the signed sum of b minus the signed sum of a. Pairs with equal queries
    therefore share the signed sums of systems. Other pairs have signed sums of their differences, in which a query that one system
    lacks counts as 0. #}
__ltr_sampled as materialized (
    select
        m.pair,
        m.grp,
        m.sys_a,
        m.sys_b,
        m.only_a + m.only_b = 0 and count(*) over () > 1 as complete
    from __ltr_moments as m
    join __ltr_differing as n
        on n.pair = m.pair and not n.exact
),
__ltr_vectors as materialized (
    select
        v.grp,
        v.sys,
        cast(null as bigint) as pair,
        v.query,
        v.value
    from __ltr_values as v
    join (
        select s.grp, s.sys_a as sys
        from __ltr_sampled as s
        where s.complete
        union
        select s.grp, s.sys_b
        from __ltr_sampled as s
        where s.complete
    ) as s
        on s.grp = v.grp and s.sys = v.sys
    union all
    select
        s.grp,
        cast(null as bigint),
        d.pair,
        d.query,
        d.d
    from __ltr_differences as d
    join __ltr_sampled as s
        on s.pair = d.pair and not s.complete
),
__ltr_ids as materialized (
    select distinct cast(n.query_id as varchar) as id, n.query
    from __ltr_numbered as n
    join __ltr_vectors as v
        on v.query = n.query
),
{{ random_words(seed, "cast(ceil(" ~ replicates ~ " / 64e0) as bigint)") }},
__ltr_filled as materialized (
    select
        v.grp,
        v.sys,
        v.pair,
        list(coalesce(x.value, 0e0) order by i.query) as numbers,
        sum(x.value) as total,
        sum(abs(x.value)) as mass
    from (
        select distinct v.grp, v.sys, v.pair
        from __ltr_vectors as v
    ) as v
    cross join __ltr_ids as i
    left join __ltr_vectors as x
        on x.grp = v.grp and x.sys is not distinct from v.sys and x.pair is not distinct from v.pair and x.query = i.query
    group by v.grp, v.sys, v.pair
),
__ltr_signs as (
    select
        l.j * 64 + b.bit as replicate,
        list_transform(l.words, lambda w: cast(2 * cast((w >> b.bit) & 1 as integer) - 1 as double)) as signs
    from (
        select
            w.j,
            list(w.word order by i.query) as words
        from __ltr_words as w
        join __ltr_ids as i
            on i.id = w.id
        group by w.j
    ) as l
    cross join (select unnest(range(64)) as bit) as b
    where l.j * 64 + b.bit < {{ replicates }}
),
__ltr_signed as materialized (
    select
        f.grp,
        f.sys,
        f.pair,
        f.total,
        f.mass,
        s.replicate,
        list_dot_product(s.signs, f.numbers) as signed
    from __ltr_signs as s
    cross join __ltr_filled as f
),
__ltr_hits as (
    select
        s.pair,
        sum(case when abs(b.signed - a.signed) >= abs(b.total - a.total) - 1e-13 * (a.mass + b.mass) then 1 else 0 end) as hits
    from __ltr_sampled as s
    join __ltr_signed as a
        on a.grp = s.grp and a.sys = s.sys_a
    join __ltr_signed as b
        on b.grp = s.grp and b.sys = s.sys_b and b.replicate = a.replicate
    where s.complete
    group by s.pair
    union all
    select
        s.pair,
        sum(case when abs(s.signed) >= abs(s.total) - 1e-13 * s.mass then 1 else 0 end)
    from __ltr_signed as s
    where s.pair is not null
    group by s.pair
)
select
    m.pair,
    m.difference as statistic,
    cast(null as double) as df,
    case when m.ties = m.queries then 1e0 else coalesce(e.p, (h.hits + 1) / ({{ replicates }} + 1e0)) end as p,
    m.difference as direction
from __ltr_moments as m
join __ltr_differing as n
    on n.pair = m.pair
left join __ltr_exact as e
    on e.pair = m.pair
left join __ltr_hits as h
    on h.pair = m.pair
where m.queries > 0
