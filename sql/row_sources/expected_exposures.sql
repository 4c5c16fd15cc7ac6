/*
summary = "One row for each group of the table `targets`. `exposure` is the exposure of the group's documents, averaged over the lists of the run. With counts = 'relevant', only relevant documents count. `due` is the group's target, averaged over the lists, times the exposure of a list of `depth` documents. A document counts with its weight in the group."
input = "lists"
reads_ranks = true
over = "run"
tables = ["documents", "targets", "qrels"]
*/
__ltr_expected_exposures_targets{{ suffix }} as (
    {{ checked_targets() | indent(4) }}
),
__ltr_expected_exposures_groups{{ suffix }} as (
    {{ groups_of_documents("__ltr_expected_exposures_targets" ~ suffix) | indent(4) }}
),
__ltr_expected_exposures_shares{{ suffix }} as (
    {{ targets_of_lists("__ltr_expected_exposures_targets" ~ suffix) | indent(4) }}
),
__ltr_expected_exposures_due{{ suffix }} as (
    select
        {{ run_of("t") }},
        t.group_name,
        t.shares * n.exposure as due
    from (
        select
            {{ run_of("t") }},
            t.group_name,
            sum(t.share) as shares
        from __ltr_expected_exposures_shares{{ suffix }} as t
        group by {{ run_of("t") }}, t.group_name
    ) as t
    cross join (
        select
            sum({{ exposure_of("n.rank", exposure, p) }}) as exposure
        from (
            {{ numbers(depth) | indent(12) }}
        ) as n
    ) as n
),
__ltr_expected_exposures_exposures{{ suffix }} as (
    select
        {{ run_of("r") }},
        g.group_name,
        sum(g.weight * {{ exposure_of("r.rank", exposure, p) }}) as exposure
    from {{ top_of_lists(none) | indent(4) }} as r
    join __ltr_expected_exposures_groups{{ suffix }} as g
        on g.doc_id = r.doc_id
    where {{ chosen(counts, "all") }} or exists (
        select 1
        from (
            {{ finite_judgments() | indent(12) }}
        ) as j
        where j.query_id = r.query_id and j.doc_id = r.doc_id and j.relevance > 0
    )
    group by {{ run_of("r") }}, g.group_name
),
{{ name }} as (
    select
        {{ run_of("d") }}{{ values | indent(8) }}
    from (
        select
            {{ run_of("q") }},
            t.due / q.lists as due,
            coalesce(e.exposure, 0e0) / q.lists as exposure
        from (
            select
                {{ run_of("r") }},
                count(*) as lists
            from __ltr_queries as r
            group by {{ run_of("r") }}
        ) as q
        join __ltr_expected_exposures_due{{ suffix }} as t
            on {{ same_run("t", "q") }}
        left join __ltr_expected_exposures_exposures{{ suffix }} as e
            on {{ same_run("e", "q") }} and e.group_name = t.group_name
    ) as d
    group by {{ run_of("d") }}
)
