{#- Create the CTE __ltr_resampled: the mean of each vector in each replicate of the bootstrap, with weights if there are any. The includer creates __ltr_drawable: the
    values of vectors, numbered from 1 to n by `position`. A replicate draws n positions for all vectors of this n. Positions without
    a value do not count. A random word gives two draws, one from its high and one from its low 32 bits. -#}
__ltr_sizes as (
    select distinct cast(v.n as ubigint) as n
    from __ltr_drawable as v
),
__ltr_ids as (
    select
        cast(r.replicate as varchar) as id,
        r.replicate
    from (select unnest(range({{ resamples }})) as replicate) as r
),
{{ random_words(seed, "(select cast(ceil(max(z.n) / 2) as bigint) from __ltr_sizes as z)", "replicate") }},
__ltr_halves as (
    select
        w.replicate,
        2 * w.j as draw,
        w.word >> 32 as half
    from __ltr_words as w
    union all
    select
        w.replicate,
        2 * w.j + 1,
        w.word & 4294967295
    from __ltr_words as w
),
__ltr_draws as materialized (
    select
        z.n,
        h.replicate,
        cast((h.half * z.n) >> 32 as bigint) + 1 as position,
        count(*) as times
    from __ltr_halves as h
    join __ltr_sizes as z
        on h.draw < z.n
    group by z.n, h.replicate, cast((h.half * z.n) >> 32 as bigint) + 1
),
__ltr_resampled as materialized (
    select
        v.vector,
        d.replicate,
        {{ "sum(v.weight * v.value * d.times) / sum(v.weight * d.times)" if weighted else "sum(v.value * d.times) / sum(d.times)" }} as mean
    from __ltr_draws as d
    join __ltr_drawable as v
        on v.n = d.n and v.position = d.position
    group by v.vector, d.replicate
)
