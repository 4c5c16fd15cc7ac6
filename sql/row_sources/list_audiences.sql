/*
summary = "One row for each document of a list. `users` counts the users who know the document, NULL without history. `all_users` counts the users of the history."
input = "lists"
tables = ["history"]
*/
__ltr_audiences{{ suffix }} as (
    select
        h.doc_id,
        count(distinct h.query_id) as users
    from __ltr_given_history as h
    group by h.doc_id
),
__ltr_list_audiences{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank,
        a.users,
        t.all_users
    from __ltr_lists as r
    left join __ltr_audiences{{ suffix }} as a
        on a.doc_id = r.doc_id
    cross join (
        select count(distinct h.query_id) as all_users
        from __ltr_given_history as h
    ) as t
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_list_audiences{{ suffix }} as d
    group by {{ key("d") }}
)
