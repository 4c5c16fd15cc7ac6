/*
summary = "One row for each document of a list, with its `baseline_rank`, NULL if the list of the baseline lacks it."
input = "lists"
tables = ["baseline"]
*/
__ltr_list_baseline{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank,
        b.rank as baseline_rank
    from __ltr_lists as r
    left join __ltr_given_baseline as b
        on b.query_id = r.query_id and b.doc_id = r.doc_id
    where (
        select case when coalesce(max(g.times), 1) = 1 then true else {{ reject_duplicate_document() }} end
        from (
            select {{ times_in_list("g.doc_id") }} as times
            from __ltr_given_baseline as g
            group by g.query_id, g.doc_id
        ) as g
    )
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_list_baseline{{ suffix }} as d
    group by {{ key("d") }}
)
