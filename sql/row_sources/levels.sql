/*
summary = "One row for each document with a positive grade and each `level`. The levels of a document are the positive grades of the query that do not exceed its own grade. `level_below` is the next lower level, or 0."
input = "rankings"
rows = ["relevant"]
*/
__ltr_positive as (
    select
        {{ key("r") }},
        r.rank,
        r.relevance
    from {{ documents }} as r
    where r.relevance > 0
),
__ltr_levels as (
    select
        {{ key("r") }},
        r.rank,
        r.relevance,
        r.level,
        r.level_below{{ windows | indent(8) }}
    from (
        select
            {{ key("s") }},
            s.rank,
            s.relevance,
            g.level,
            g.level_below
        from (
            select
                {{ key("t") }},
                t.level,
                coalesce(lag(t.level) over (partition by {{ key("t") }} order by t.level asc nulls last), 0) as level_below
            from (
                select
                    {{ key("p") }},
                    p.relevance as level
                from __ltr_positive as p
                group by {{ key("p") }}, p.relevance
            ) as t
        ) as g
        join __ltr_positive as s
            on {{ same_key("s", "g") }} and s.relevance >= g.level
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_levels as d
    group by {{ key("d") }}
    having {{ validate_ranks("case when d.level_below = 0 then d.rank end", "d.relevance", shared_ranks) | indent(4) }}
)
