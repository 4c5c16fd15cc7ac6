/*
summary = "One row for each list and category in its top k or in the history of its query. A document with several categories counts for each with an equal share. `listed` and `known` are the shares of the category in the list and in the history, NULL if no document there has a category. `documents` counts the documents of the list that have it."
input = "lists"
tables = ["documents", "history"]
*/
__ltr_categories{{ suffix }} as (
    select
        g.doc_id,
        g.category,
        1e0 / count(*) over (partition by g.doc_id) as share
    from (
        select
            j.doc_id,
            j.category
        from __ltr_given_documents as j
        where j.category is not null
        group by j.doc_id, j.category
    ) as g
),
__ltr_listed{{ suffix }} as (
    select
        {{ run_key("r") }},
        c.category,
        sum(c.share) as amount,
        count(*) as documents
    from {{ top_of_lists(k) | indent(4) }} as r
    join __ltr_categories{{ suffix }} as c
        on c.doc_id = r.doc_id
    group by {{ run_key("r") }}, c.category
),
__ltr_known{{ suffix }} as (
    select
        h.query_id,
        c.category,
        sum(c.share) as amount
    from __ltr_given_history as h
    join __ltr_categories{{ suffix }} as c
        on c.doc_id = h.doc_id
    group by h.query_id, c.category
),
__ltr_list_categories{{ suffix }} as (
    select
        {{ key("r") }},
        r.documents,
        r.listed / nullif(sum(r.listed) over (partition by {{ key("r") }}), 0) as listed,
        r.known / nullif(sum(r.known) over (partition by {{ key("r") }}), 0) as known
    from (
        select
            {{ run_key("q") }},
            b.category,
            coalesce(n.documents, 0) as documents,
            coalesce(n.amount, 0e0) as listed,
            coalesce(h.amount, 0e0) as known
        from __ltr_queries as q
        join (
            select
                {{ run_key("l") }},
                l.category
            from __ltr_listed{{ suffix }} as l
            union
            select
                {{ run_key("q") }},
                h.category
            from __ltr_queries as q
            join __ltr_known{{ suffix }} as h
                on h.query_id = q.query_id
        ) as b
            on {{ same_key("b", "q") }}
        left join __ltr_listed{{ suffix }} as n
            on {{ same_key("n", "q") }} and n.category = b.category
        left join __ltr_known{{ suffix }} as h
            on h.query_id = q.query_id and h.category = b.category
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_list_categories{{ suffix }} as d
    group by {{ key("d") }}
)
