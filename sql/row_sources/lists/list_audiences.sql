/*
summary = "One row for each document of a list. `users` counts the users who know the document, and `rows` its rows in the history, both NULL without history. `all_users` and `all_rows` count the users and rows of the history."
input = "lists"
tables = ["history"]
*/
__ltr_audiences{{ suffix }} as (
    select
        h.doc_id,
        count(distinct h.query_id) as users,
        count(*) as rows
    from __ltr_given_history as h
    group by h.doc_id
),
__ltr_list_audiences{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank,
        a.users,
        a.rows,
        t.all_users,
        t.all_rows
    from __ltr_lists as r
    left join __ltr_audiences{{ suffix }} as a
        on a.doc_id = r.doc_id
    cross join (
        select
            count(distinct h.query_id) as all_users,
            count(*) as all_rows
        from __ltr_given_history as h
    ) as t
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_list_audiences{{ suffix }} as d
    group by {{ key("d") }}
)
