/*
summary = "One row for each group of the table `documents`. `documents` counts the group's documents. `exposure` sums their exposure in the top k of all lists. `merit` sums their relevance in qrels, for the queries of the run. `exposures` and `merits` sum `exposure` and `merit` over the groups. A document counts with its weight in the group."
input = "lists"
reads_ranks = true
over = "run"
tables = ["documents", "qrels"]
*/
__ltr_group_exposures_groups{{ suffix }} as (
    {{ groups_of_documents() | indent(4) }}
),
__ltr_group_exposures_exposures{{ suffix }} as (
    select
        {{ run_of("r") }},
        g.group_name,
        sum(g.weight * {{ exposure_of("r.rank", exposure, p) }}) as exposure
    from {{ top_of_lists(k) | indent(4) }} as r
    join __ltr_group_exposures_groups{{ suffix }} as g
        on g.doc_id = r.doc_id
    group by {{ run_of("r") }}, g.group_name
),
__ltr_group_exposures_merits{{ suffix }} as (
    select
        {{ run_of("q") }},
        g.group_name,
        sum(g.weight * j.relevance) as merit
    from __ltr_queries as q
    join (
        {{ finite_judgments() | indent(8) }}
    ) as j
        on j.query_id = q.query_id
    join __ltr_group_exposures_groups{{ suffix }} as g
        on g.doc_id = j.doc_id
    where j.relevance > 0
    group by {{ run_of("q") }}, g.group_name
),
__ltr_group_exposures{{ suffix }} as (
    select
        {{ run_of("r") }},
        r.documents,
        r.exposure,
        r.merit,
        sum(r.exposure) over (partition by {{ run_of("r") }}) as exposures,
        sum(r.merit) over (partition by {{ run_of("r") }}) as merits
    from (
        select
            {{ run_of("q") }},
            g.documents,
            coalesce(e.exposure, 0e0) as exposure,
            coalesce(m.merit, 0e0) as merit
        from (
            select
                {{ run_of("r") }}
            from __ltr_queries as r
            group by {{ run_of("r") }}
        ) as q
        cross join (
            select
                g.group_name,
                sum(g.weight) as documents
            from __ltr_group_exposures_groups{{ suffix }} as g
            group by g.group_name
        ) as g
        left join __ltr_group_exposures_exposures{{ suffix }} as e
            on {{ same_run("e", "q") }} and e.group_name = g.group_name
        left join __ltr_group_exposures_merits{{ suffix }} as m
            on {{ same_run("m", "q") }} and m.group_name = g.group_name
    ) as r
),
{{ name }} as (
    select
        {{ run_of("d") }}{{ values | indent(8) }}
    from __ltr_group_exposures{{ suffix }} as d
    group by {{ run_of("d") }}
)
