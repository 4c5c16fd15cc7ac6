/*
summary = "One row for each document of a list. `seen` is 1 if the user of the list knows the document already, else 0."
input = "lists"
tables = ["history"]
*/
__ltr_list_history{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank,
        case when h.doc_id is null then 0e0 else 1e0 end as seen
    from __ltr_lists as r
    left join (
        select
            g.query_id,
            g.doc_id
        from __ltr_given_history as g
        group by g.query_id, g.doc_id
    ) as h
        on h.query_id = r.query_id and h.doc_id = r.doc_id
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_list_history{{ suffix }} as d
    group by {{ key("d") }}
)
