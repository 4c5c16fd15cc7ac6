/*
summary = "One row for each retrieved document with a grade of at least 0 and each `grade` that is not below its own. `grade` takes the distinct grades of these documents of the query."
input = "rankings"
rows = ["judged"]
*/
__ltr_graded_documents as (
    select
        {{ key("r") }},
        r.rank,
        r.relevance
    from {{ documents }} as r
    where r.rank is not null and r.relevance >= 0
),
__ltr_grades as (
    select
        {{ key("r") }},
        r.rank,
        r.relevance,
        r.grade{{ windows | indent(8) }}
    from (
        select
            {{ key("s") }},
            s.rank,
            s.relevance,
            g.grade
        from (
            select
                {{ key("t") }},
                t.relevance as grade
            from __ltr_graded_documents as t
            group by {{ key("t") }}, t.relevance
        ) as g
        join __ltr_graded_documents as s
            on {{ same_key("s", "g") }} and s.relevance <= g.grade
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_grades as d
    group by {{ key("d") }}
)
