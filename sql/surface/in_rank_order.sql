{#- Whether a run lies in rank order: query by query, best score first, without gaps in its places. Windows that have no
    order of their own see the rows as they lie. -#}
with __ltr_run as {{ inline }}(
    select
        {{ key_definition("j") }},
        {{ without_nan("cast(j.score as double)") }} as score,
        j.__ltr_place as place
    from {{ relation }} as j
),
__ltr_starts as (
    select
        {{ key("r") }},
        min(r.place) as place,
        max(r.place) - min(r.place) + 1 = count(r.score) as without_gaps
    from __ltr_run as r
    group by {{ key("r") }}
),
__ltr_breaks as (
    select
        n.place,
        n.place <> n.place_above + 1 as is_gap
    from (
        select
            r.place,
            r.score,
            lag(r.place) over () as place_above,
            lag(r.score) over () as score_above
        from __ltr_run as r
    ) as n
    where n.place <> n.place_above + 1 or n.score > n.score_above
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
            on s.place = b.place
        where b.is_gap or s.place is null
    )
