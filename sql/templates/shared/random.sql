{#- Random words by a counter: splitmix64 of the id, the seed and the number of the word. A word does not depend on other rows,
    threads or the version of the engine, so results are reproducible. hash() is not a substitute. The hash of two columns is nearly
    the exclusive or of their hashes, so the signs of two queries would depend on each other. -#}

{#- Return the sum or product of two whole numbers modulo 2^64. -#}
{% macro modulo_2_64(a, operator, b) -%}
cast((cast({{ a }} as uhugeint) {{ operator }} cast({{ b }} as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint)
{%- endmacro %}

{#- Create the CTE __ltr_words: one word of 64 bits for each row of __ltr_ids and each j below `words`. The word depends on `id`
    (text). `name` is the column that identifies a row in the result: `id` or another column of
    __ltr_ids. -#}
{% macro random_words(seed, words, name="id") -%}
__ltr_keys as materialized (
    select
        i.{{ name }},
        md5_number_lower(i.id) as key
    from __ltr_ids as i
),
__ltr_counters as materialized (
    select
        r.j,
        {{ modulo_2_64("cast(" ~ seed ~ " as ubigint) * 4294967296 + r.j + 1", "*", "11400714819323198485") }} as counter
    from (select unnest(range({{ words }})) as j) as r
),
__ltr_words_0 as (
    select
        i.{{ name }},
        c.j,
        {{ modulo_2_64("i.key", "+", "c.counter") }} as z
    from __ltr_keys as i
    cross join __ltr_counters as c
),
__ltr_words_1 as (
    select w.{{ name }}, w.j, xor(w.z, w.z >> 30) as z
    from __ltr_words_0 as w
),
__ltr_words_2 as (
    select w.{{ name }}, w.j, {{ modulo_2_64("w.z", "*", "13787848793156543929") }} as z
    from __ltr_words_1 as w
),
__ltr_words_3 as (
    select w.{{ name }}, w.j, xor(w.z, w.z >> 27) as z
    from __ltr_words_2 as w
),
__ltr_words_4 as (
    select w.{{ name }}, w.j, {{ modulo_2_64("w.z", "*", "10723151780598845931") }} as z
    from __ltr_words_3 as w
),
__ltr_words as (
    select w.{{ name }}, w.j, xor(w.z, w.z >> 31) as word
    from __ltr_words_4 as w
)
{%- endmacro %}
