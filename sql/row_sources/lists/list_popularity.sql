/*
summary = "One row for each document of a list, with its `popularity`, 0 for a document without popularity data. `position` is its place in the catalogue by descending popularity, with ties by doc_id, and `documents` is the size of the catalogue. Both are NULL outside the catalogue."
input = "lists"
tables = ["documents", "history"]
*/
__ltr_popularity{{ suffix }} as (
    select
        h.doc_id,
        1e0 * count(*) as popularity
    from __ltr_given_history as h
    where {{ chosen(popularity, "history") }}
    group by h.doc_id
    union all
    select
        g.doc_id,
        {{ one_popularity("g.popularity") }} as popularity
    from __ltr_given_documents as g
    where {{ chosen(popularity, "documents") }} and g.popularity is not null
    group by g.doc_id
),
__ltr_positions{{ suffix }} as (
    select
        c.doc_id,
        row_number() over (order by c.popularity desc nulls last, c.id asc nulls last) as position,
        count(*) over () as documents
    from (
        select
            g.doc_id,
            {{ text_of_id("g.doc_id") }} as id,
            max(coalesce(p.popularity, 0e0)) as popularity
        from __ltr_given_documents as g
        left join __ltr_popularity{{ suffix }} as p
            on p.doc_id = g.doc_id
        group by g.doc_id
    ) as c
),
__ltr_list_popularity{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank,
        coalesce(p.popularity, 0e0) as popularity,
        p.position,
        p.documents
    from __ltr_lists as r
    left join (
        select
            coalesce(c.doc_id, p.doc_id) as doc_id,
            p.popularity,
            c.position,
            c.documents
        from __ltr_positions{{ suffix }} as c
        full join __ltr_popularity{{ suffix }} as p
            on p.doc_id = c.doc_id
    ) as p
        on p.doc_id = r.doc_id
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_list_popularity{{ suffix }} as d
    group by {{ key("d") }}
)
