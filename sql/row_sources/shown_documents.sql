/*
summary = "One row for each document of the catalogue or of the top k of a list. `shown` counts the lists that show it, `lists` all lists of the run. `in_catalogue` is true for a document of the table `documents`."
input = "lists"
over = "run"
tables = ["documents"]
*/
__ltr_catalogue{{ suffix }} as (
    select
        g.doc_id
    from __ltr_given_documents as g
    where g.doc_id is not null
    group by g.doc_id
),
__ltr_shown{{ suffix }} as (
    select
        {{ run_of("r") }},
        r.doc_id,
        count(*) as shown
    from {{ top_of_lists(k) | indent(4) }} as r
    group by {{ run_of("r") }}, r.doc_id
),
__ltr_runs{{ suffix }} as (
    select
        {{ run_of("q") }},
        count(*) as lists
    from __ltr_queries as q
    group by {{ run_of("q") }}
),
__ltr_shown_documents{{ suffix }} as (
    select
        {{ run_of("r") }},
        r.shown,
        r.lists,
        r.in_catalogue{{ windows | indent(8) }}
    from (
        select
            {{ run_of("q") }},
            coalesce(s.shown, 0) as shown,
            q.lists,
            true as in_catalogue
        from __ltr_runs{{ suffix }} as q
        cross join __ltr_catalogue{{ suffix }} as c
        left join __ltr_shown{{ suffix }} as s
            on {{ same_run("s", "q") }} and s.doc_id = c.doc_id
        union all
        select
            {{ run_of("q") }},
            s.shown,
            q.lists,
            false as in_catalogue
        from __ltr_shown{{ suffix }} as s
        join __ltr_runs{{ suffix }} as q
            on {{ same_run("s", "q") }}
        where not exists (
            select 1
            from __ltr_catalogue{{ suffix }} as c
            where c.doc_id = s.doc_id
        )
    ) as r
),
{{ name }} as (
    select
        {{ run_of("d") }}{{ values | indent(8) }}
    from __ltr_shown_documents{{ suffix }} as d
    group by {{ run_of("d") }}
)
