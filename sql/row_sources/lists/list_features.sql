/*
summary = "One row for each list and feature of the documents in its top k. A document's features are its categories or the dimensions of its vector, scaled to length 1. `total` is the sum of the feature over the documents of the list. `documents` counts the documents of the list that have features."
input = "lists"
tables = ["documents"]
*/
__ltr_features{{ suffix }} as (
    select
        f.doc_id,
        f.position,
        f.value
            / {{ length_of_vector("sqrt(sum(coalesce(f.value * f.value, cast('inf' as double))) over (partition by f.doc_id))",
            chosen(features, "vector") ~ " and max(f.position) over (partition by f.doc_id) <> max(f.position) over ()") }} as value
    from (
        select
            g.doc_id,
            dense_rank() over (order by g.category asc nulls last) as position,
            1e0 as value
        from __ltr_given_documents as g
        where {{ chosen(features, "category") }} and g.category is not null
        group by g.doc_id, g.category
        union all
        select
            g.doc_id,
            {{ elements("g.vector") }}
        from (
            select
                v.doc_id,
                {{ one_vector("v.vector") }} as vector
            from __ltr_given_documents as v
            where {{ chosen(features, "vector") }} and v.vector is not null
            group by v.doc_id
        ) as g
    ) as f
),
__ltr_featured{{ suffix }} as (
    select
        {{ key("r") }},
        count(*) as documents
    from {{ top_of_lists(k) | indent(4) }} as r
    where r.doc_id in (
        select f.doc_id
        from __ltr_features{{ suffix }} as f
    )
    group by {{ key("r") }}
),
__ltr_list_features{{ suffix }} as (
    select
        {{ key("r") }},
        f.position,
        sum(f.value) as total
    from {{ top_of_lists(k) | indent(4) }} as r
    join __ltr_features{{ suffix }} as f
        on f.doc_id = r.doc_id
    group by {{ key("r") }}, f.position
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from (
        select
            {{ key("t") }},
            t.total,
            n.documents
        from __ltr_list_features{{ suffix }} as t
        join __ltr_featured{{ suffix }} as n
            on {{ same_key("n", "t") }}
    ) as d
    group by {{ key("d") }}
)
