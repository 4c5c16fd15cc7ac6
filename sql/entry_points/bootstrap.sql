{#- Create the CTE __ltr_draws: the positions that each replicate of the bootstrap draws, for each number of queries in __ltr_sizes.
    A random word gives two draws, one from its high and one from its low 32 bits. -#}
__ltr_ids as (
    select cast(r.replicate as varchar) as id
    from (select unnest(range({{ resamples }})) as replicate) as r
),
{{ random_words(seed, "(select cast(ceil(max(z.n) / 2) as bigint) from __ltr_sizes as z)") }},
__ltr_draws as materialized (
    select
        w.id,
        z.n,
        list_transform(
            flatten(list_transform(w.words, lambda x: [x >> 32, x & 4294967295]))[1:z.n],
            lambda x: cast((x * z.n) >> 32 as bigint) + 1
        ) as positions
    from (
        select
            w.id,
            list(w.word order by w.j) as words
        from __ltr_words as w
        group by w.id
    ) as w
    cross join __ltr_sizes as z
)
