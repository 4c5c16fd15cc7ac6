/*
summary = "Fisher's randomization test: how often is the mean difference at least as large as observed if the two values of each query are swapped at random? Exact for few queries, otherwise with random signs."
statistic = "mean difference"
too_few = "power(2e0, 1 - m.above - m.below) > {{ level }}"
reference = "Fisher 1935, The Design of Experiments; Smucker, Allan & Carterette 2007, CIKM"
*/
with __ltr_differing as (
    select
        m.pair,
        m.above + m.below as n,
        m.above + m.below <= case when count(*) over (partition by m.grp) > 20 then 19 else 30 end as exact
    from __ltr_moments as m
),
{#- Exact test: compute all signed sums of each half of the differences. For each sum of one half, count the sums of the other half
    with which the total reaches the observed sum. #}
__ltr_terms as {{ stored }}(
    select
        d.pair,
        d.d,
        case when row_number() over (partition by d.pair order by d.d asc, d.query asc) <= floor(n.n / 2e0) then 0 else 1 end as half,
        n.n
    from __ltr_differences as d
    join __ltr_differing as n
        on n.pair = d.pair and n.exact
    where d.rounded <> 0
),
__ltr_bars as {{ stored }}(
    select
        t.pair,
        cast(max(t.n) as double) as n,
        abs(sum(t.d)) - 1e-12 * sum(abs(t.d)) as bar
    from __ltr_terms as t
    group by t.pair
),
{#- A pair with a single difference has an empty first half, whose sum is 0. #}
{%- set shifted = concatenation(each("sums", "s", "s - " ~ element("d", 1)), each("sums", "s", "s + " ~ element("d", 1))) %}
__ltr_halves as (
    select
        t.pair,
        t.half,
        {{ rows_of(fold(sorted_list(array("t.d")), "sums", "d", shifted, array("0e0"))) }} as total
    from __ltr_terms as t
    group by t.pair, t.half
    union all
    select
        b.pair,
        0,
        0e0
    from __ltr_bars as b
    where b.n = 1
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
){% if random_words %},
{#- Random signs. The signed sum of the differences b - a is the signed sum of b minus that of a. If both systems of a
    pair have the same queries, the pair therefore uses the sums of its systems. Other pairs, and a pair that is the only one, sum
    their own differences. A vector is a list of values to sum. Vectors are numbered: that of system i is -i, and that of
    a pair is the number of the pair. #}
__ltr_sampled as {{ stored }}(
    select
        s.pair,
        case when s.shared then -s.member_a end as vector_a,
        case when s.shared then -s.member_b else s.pair end as vector_b
    from (
        select
            m.pair,
            p.member_a,
            p.member_b,
            m.only_a + m.only_b = 0 and count(*) over () > 1 as shared
        from __ltr_moments as m
        join __ltr_pairs as p
            on p.pair = m.pair
        join __ltr_differing as n
            on n.pair = m.pair and not n.exact
    ) as s
),
__ltr_vectors as {{ stored }}(
    select
        s.vector,
        v.query,
        v.value
    from __ltr_placed as v
    join (
        select s.vector_a as vector
        from __ltr_sampled as s
        union
        select s.vector_b
        from __ltr_sampled as s
    ) as s
        on s.vector = -v.member
    union all
    select
        d.pair,
        d.query,
        d.d
    from __ltr_differences as d
    join __ltr_sampled as s
        on s.vector_b = d.pair
),
__ltr_totals as (
    select
        v.vector,
        sum(v.value) as total,
        sum(abs(v.value)) as mass
    from __ltr_vectors as v
    group by v.vector
),
__ltr_ids as {{ stored }}(
    select distinct cast(n.query_id as varchar) as id, n.query
    from __ltr_numbered as n
    join __ltr_vectors as v
        on v.query = n.query
),
{{ random_words(seed, "cast(ceil(" ~ replicates ~ " / 64e0) as bigint)", "query") }},
{#- Bit k of word j is the sign of replicate 64 j + k. Sum the values whose bit is 1: the signed sum is twice this sum, minus the total. #}
__ltr_summed as {{ stored }}(
    select
        v.vector,
        w.j
        {%- for k in range(64) %},
        sum(v.value * cast(w.word >> {{ k }} & 1 as double)) as s{{ k }}
        {%- endfor %}
    from __ltr_words as w
    join __ltr_vectors as v
        on v.query = w.query
    group by v.vector, w.j
),
__ltr_hits as (
    select
        t.pair,
        sum(
            {%- for k in range(64) %}
            {{ "+ " if k }}case when abs(b.s{{ k }} - coalesce(a.s{{ k }}, 0e0) - t.centre) >= t.bar and {{ k }} < {{ replicates }} - 64 * b.j then 1 else 0 end
            {%- endfor %}
        ) as hits
    from (
        select
            s.pair,
            s.vector_a,
            s.vector_b,
            (b.total - coalesce(a.total, 0e0)) / 2 as centre,
            (abs(b.total - coalesce(a.total, 0e0)) - 1e-13 * (b.mass + coalesce(a.mass, 0e0))) / 2 as bar
        from __ltr_sampled as s
        join __ltr_totals as b
            on b.vector = s.vector_b
        left join __ltr_totals as a
            on a.vector = s.vector_a
    ) as t
    join __ltr_summed as b
        on b.vector = t.vector_b
    left join __ltr_summed as a
        on a.vector = t.vector_a and a.j = b.j
    group by t.pair
)
{%- endif %}
select
    m.pair,
    m.difference as statistic,
    cast(null as double) as df,
    case when m.ties = m.queries then 1e0 else coalesce(e.p, {% if random_words -%}
        (h.hits + 1) / ({{ replicates }} + 1e0){%- else -%}
        case when not n.exact
            then {{ error_function }}('test randomization is exact up to 30 differing queries (19 with more than 20 pairs): more {# -#}
                need random signs, which only DuckDB computes. Pass test t, or collect the values and compare them on DuckDB') end
        {%- endif %}) end as p,
    m.difference as direction
from __ltr_moments as m
join __ltr_differing as n
    on n.pair = m.pair
left join __ltr_exact as e
    on e.pair = m.pair
{%- if random_words %}
left join __ltr_hits as h
    on h.pair = m.pair
{%- endif %}
where m.queries > 0
