{#- One row per two documents x and y that stand in both rankings; x is not below y in ranking a. -#}
__ltr_shared as (
    select
        {{ key("r") }},
        r.rank_a,
        r.rank_b,
        row_number() over (partition by {{ key("r") }} order by r.rank_a asc nulls last, r.rank_b asc nulls last) as place
    from __ltr_paired as r
    where {{ in_both(k, "r") }}
),
__ltr_pairs as (
    select
        {{ key("x") }},
        x.rank_a as x_a,
        x.rank_b as x_b,
        y.rank_a as y_a,
        y.rank_b as y_b
    from __ltr_shared as x
    join __ltr_shared as y
        on {{ same_key("y", "x") }} and x.place < y.place
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_pairs as d
    group by {{ key("d") }}
)
