{#- Create the CTE __ltr_draws: how many times each replicate of the bootstrap draws each position. The including template must create
    __ltr_drawable, with the sizes `n`. For each n, a replicate draws n times from the positions 1 to n, with
    replacement. A random word gives two draws, one from its high and
    one from its low 32 bits. Replicates are numbered from `first_replicate`, by default 0, to `resamples` - 1. -#}
__ltr_sizes as (
    select distinct cast(v.n as ubigint) as n
    from __ltr_drawable as v
),
__ltr_ids as (
    select
        cast(r.replicate as varchar) as id,
        r.replicate
    from (select unnest(range({{ first_replicate | default(0) }}, {{ resamples }})) as replicate) as r
),
{{ random_words(seed, "(select cast(ceil(max(z.n) / 2e0) as bigint) from __ltr_sizes as z)", "replicate") }},
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
)
