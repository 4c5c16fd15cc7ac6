/*
summary = "One row per document and subtopic that the document covers: its grade for the subtopic is at least `rel`."
input = "covers"
*/
__ltr_coverage{{ suffix }} as (
    select
        {{ key("r") }},
        r.doc_id,
        r.rank,
        r.subtopic{{ windows | indent(8) }}
    from __ltr_rankings as r
    where r.relevance >= {{ rel }} and r.subtopic is not null
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_coverage{{ suffix }} as d
    group by {{ key("d") }}
    having {{ validate_covers("d.rank", "d.doc_id", "d.subtopic") | indent(4) }}
)
