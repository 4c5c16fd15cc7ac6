/*
summary = "Cascade model: users read down to the first click, and judge each document on the way."
formula = "(clicks + prior_clicks) / (views + prior_views) over the rows down to the first click of their list, or all rows of a list without a click; the priors are 1 and 2"
reads = ["session_id", "rank"]
reference = "Craswell et al. 2008, WSDM; PyClick's CM (attraction)"
*/
{{ examined_rows("min") }},
__ltr_modelled as (
    select
        {{ run_key("e") }},
        e.doc_id,
        {{ clicked_share("sum(e.click * e.examined)", "sum(e.examined)", "coalesce(" ~ prior_clicks ~ ", 1e0)", "coalesce(" ~ prior_views ~ ", 2e0)") }} as relevance,
        count(*) as views,
        sum(e.click) as clicks
    from __ltr_examined as e
    group by {{ run_key("e") }}, e.doc_id
)
