/*
summary = "Simplified dynamic Bayesian network: attraction as in dcm, times satisfaction, the share of the clicks that ended their list."
formula = "attraction * (last clicks + prior_clicks) / (clicks + prior_views); the priors default to 1 and 2"
reads = ["session_id", "rank"]
reference = "Chapelle & Zhang 2009, WWW; PyClick's SDBN"
*/
{{ examined_rows("max") }},
__ltr_modelled as (
    select
        {{ run_key("e") }},
        e.doc_id,
        {{ clicked_share("sum(e.click * e.examined)", "sum(e.examined)", "coalesce(" ~ prior_clicks ~ ", 1e0)", "coalesce(" ~ prior_views ~ ", 2e0)") }}
        * {{ clicked_share("sum(e.at_the_click)", "sum(e.click)", "coalesce(" ~ prior_clicks ~ ", 1e0)", "coalesce(" ~ prior_views ~ ", 2e0)") }} as relevance,
        count(*) as views,
        sum(e.click) as clicks
    from __ltr_examined as e
    group by {{ run_key("e") }}, e.doc_id
)
