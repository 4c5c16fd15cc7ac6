/*
summary = "Examination of the position-based model, estimated by expectation maximisation, 50 iterations by default."
formula = "examination of the rank / examination of rank 1"
recursive = true
reference = "Richardson, Dominowska & Ragno 2007, WWW; Chuklin, Markov & de Rijke 2015, Click Models for Web Search"
*/
{{ position_based_model("coalesce(" ~ iterations ~ ", 50)") }},
__ltr_examinations as (
    select
        {{ group_columns("i") }}e.rank,
        max(e.examination) as examination
    from __ltr_em as e
    join __ltr_items as i
        on i.item = e.item
    where e.step = coalesce({{ iterations }}, 50)
    {{ group_by_group("i", "e.rank") }}
),
__ltr_propensities as (
    select
        {{ group_columns("e") }}e.rank,
        e.examination / f.examination as propensity
    from __ltr_examinations as e
    join __ltr_examinations as f
        on f.rank = 1 and {{ same_group("f", "e") }}
)
