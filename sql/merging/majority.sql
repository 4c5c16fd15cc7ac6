/*
summary = "The grade with the most votes. If several grades have the most votes, the lowest by default."
reference = "Sheng, Provost & Ipeirotis 2008, KDD"
*/
{{ most_votes() }},
__ltr_merged as (
    select
        {{ run_key("v") }},
        v.doc_id,
        case when {{ ties }} = 'higher' then v.higher_grade else v.lower_grade end as relevance,
        cast(null as double) as probability,
        cast(null as {{ text_type }}) as finding
    from __ltr_most_votes as v
    where coalesce({{ ties }}, 'lower') <> 'skip' or v.lower_grade = v.higher_grade
)
