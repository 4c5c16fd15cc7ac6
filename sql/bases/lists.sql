{#- One row per document of two rankings: its rank in each, NULL where it is absent. -#}
__ltr_lists as (
    select
        {{ key("r") }},
        r.rank_a,
        r.rank_b{{ windows | indent(8) }}
    from __ltr_paired as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_lists as d
    group by {{ key("d") }}
)
