/*
summary = "One row for each list and group of the table `targets`. `target` is the share that is due. `documents` counts the group's documents in the top k, and `exposure` sums their exposure; a document counts with its weight in the group. `all_documents` and `exposures` are the sums over all groups. Documents without a group do not count."
input = "lists"
reads_ranks = true
tables = ["documents", "targets"]
*/
__ltr_list_groups_targets{{ suffix }} as (
    {{ checked_targets() | indent(4) }}
),
__ltr_list_groups_groups{{ suffix }} as (
    {{ groups_of_documents("__ltr_list_groups_targets" ~ suffix) | indent(4) }}
),
__ltr_list_groups_due{{ suffix }} as (
    {{ targets_of_lists("__ltr_list_groups_targets" ~ suffix) | indent(4) }}
),
__ltr_list_groups_exposures{{ suffix }} as (
    select
        {{ key("r") }},
        g.group_name,
        sum(g.weight * {{ exposure_of("r.rank", exposure, p) if exposure else "1e0" }}) as exposure,
        sum(g.weight) as documents
    from {{ top_of_lists(k) | indent(4) }} as r
    join __ltr_list_groups_groups{{ suffix }} as g
        on g.doc_id = r.doc_id
    group by {{ key("r") }}, g.group_name
),
__ltr_list_groups{{ suffix }} as (
    select
        {{ key("r") }},
        r.target,
        r.exposure,
        r.documents,
        sum(r.exposure) over (partition by {{ key("r") }}) as exposures,
        sum(r.documents) over (partition by {{ key("r") }}) as all_documents
    from (
        select
            {{ key("t") }},
            t.share as target,
            coalesce(e.exposure, 0e0) as exposure,
            coalesce(e.documents, 0e0) as documents
        from __ltr_list_groups_due{{ suffix }} as t
        left join __ltr_list_groups_exposures{{ suffix }} as e
            on {{ same_key("e", "t") }} and e.group_name = t.group_name
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_list_groups{{ suffix }} as d
    group by {{ key("d") }}
)
