/*
summary = "One row for each list and prefix of its top k, among the documents that have a group. `position` is the length of the prefix. `divergence` is the Kullback-Leibler divergence of its groups from their targets, without groups with the target 0. `impossible` counts the groups with the target 0 that occur in the prefix. A document counts with its weight in each group."
input = "lists"
reads_ranks = true
tables = ["documents", "targets"]
*/
__ltr_list_prefixes_targets{{ suffix }} as (
    {{ checked_targets() | indent(4) }}
),
__ltr_list_prefixes_groups{{ suffix }} as (
    {{ groups_of_documents("__ltr_list_prefixes_targets" ~ suffix) | indent(4) }}
),
__ltr_list_prefixes_due{{ suffix }} as (
    {{ targets_of_lists("__ltr_list_prefixes_targets" ~ suffix) | indent(4) }}
),
__ltr_grouped{{ suffix }} as (
    select
        {{ key("r") }},
        g.group_name,
        g.weight,
        dense_rank() over (partition by {{ key("r") }} order by r.rank asc nulls last, r.doc_id asc nulls last) as position
    from {{ top_of_lists(k) | indent(4) }} as r
    join __ltr_list_prefixes_groups{{ suffix }} as g
        on g.doc_id = r.doc_id
),
__ltr_list_prefixes{{ suffix }} as (
    select
        {{ key("r") }},
        r.position,
        sum(case when r.documents = 0 then 0e0 else r.documents / r.all_documents * ln(r.documents / r.all_documents / nullif(r.target, 0)) end) as divergence,
        count(case when r.documents > 0 and r.target = 0 then 1 end) as impossible
    from (
        select
            {{ key("g") }},
            g.position,
            g.target,
            sum(g.weight) over (partition by {{ key("g") }}, g.group_name
                order by g.position asc nulls last rows between unbounded preceding and current row) as documents,
            sum(g.all_weights) over (partition by {{ key("g") }}, g.group_name
                order by g.position asc nulls last rows between unbounded preceding and current row) as all_documents
        from (
            select
                {{ key("g") }},
                g.position,
                t.group_name,
                max(t.share) as target,
                sum(case when g.group_name = t.group_name then g.weight else 0e0 end) as weight,
                sum(g.weight) as all_weights
            from __ltr_grouped{{ suffix }} as g
            join __ltr_list_prefixes_due{{ suffix }} as t
                on {{ same_key("t", "g") }}
            group by {{ key("g") }}, g.position, t.group_name
        ) as g
    ) as r
    group by {{ key("r") }}, r.position
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_list_prefixes{{ suffix }} as d
    group by {{ key("d") }}
)
