{#- True if a run is stored in rank order: query by query, by descending score, and without gaps in its row positions.
    Windows without an order see the rows in storage order. -#}
with __ltr_run as {{ inline }}(
    select
        {{ key_definition("j") }},
        {{ without_nan("cast(j.score as double)") }} as score,
        j.__ltr_position as position
    from {{ relation }} as j
),
__ltr_starts as (
    select
        {{ key("r") }},
        min(r.position) as position,
        max(r.position) - min(r.position) + 1 = count(r.score) as without_gaps
    from __ltr_run as r
    group by {{ key("r") }}
),
__ltr_breaks as (
    select
        n.position,
        n.position <> n.position_above + 1 as is_gap
    from (
        select
            r.position,
            r.score,
            lag(r.position) over () as position_above,
            lag(r.score) over () as score_above
        from __ltr_run as r
    ) as n
    where n.position <> n.position_above + 1 or n.score > n.score_above
)
select
    not exists (
        select 1
        from __ltr_starts as s
        where not s.without_gaps
    )
    and not exists (
        select 1
        from __ltr_breaks as b
        left join __ltr_starts as s
            on s.position = b.position
        where b.is_gap or s.position is null
    )
