/*
summary = "Attraction of the dependent click model: users read down to the last click."
formula = "(clicks + prior_clicks) / (views + prior_views) over the rows down to the last click of their list, or all rows of a list without a click; the priors are 1 and 2"
reads = ["session_id", "rank"]
reference = "Guo, Liu & Wang 2009, WSDM; PyClick's DCM"
*/
{{ examined_rows("max") }},
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
