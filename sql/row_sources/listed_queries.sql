/*
summary = "One row for each query of qrels or history. `documents` counts the documents in the top k of its list, 0 without a list."
input = "lists"
over = "run"
tables = ["qrels", "history"]
without_lists = true
*/
__ltr_listed_queries_due{{ suffix }} as (
    select
        g.query_id
    from (
        select j.query_id from __ltr_given_qrels as j where {{ chosen(queries, "qrels") }}
        union all
        select j.query_id from __ltr_given_history as j where {{ chosen(queries, "history") }}
    ) as g
    where g.query_id is not null
    group by g.query_id
),
__ltr_lengths{{ suffix }} as (
    select
        {{ run_of("r") }},
        r.query_id,
        count(*) as documents
    from {{ top_of_lists(k) | indent(4) }} as r
    group by {{ run_of("r") }}, r.query_id
),
{{ name }} as (
    select
        {{ run_of("d") }}{{ values | indent(8) }}
    from (
        select
            {{ run_of("q") }},
            coalesce(n.documents, 0) as documents
        from (
            select
                {{ run_of("r") }}
            from __ltr_queries as r
            group by {{ run_of("r") }}
        ) as q
        cross join __ltr_listed_queries_due{{ suffix }} as g
        left join __ltr_lengths{{ suffix }} as n
            on {{ same_run("n", "q") }} and n.query_id = g.query_id
    ) as d
    group by {{ run_of("d") }}
)
