/*
summary = "Share of the impressions with a click, whatever the rank. Favours documents that were shown at the top."
formula = "(clicks + prior_clicks) / (views + prior_views), by default without priors"
reads = []
reference = "Craswell et al. 2008, WSDM (baseline); PyClick's DCTR has the priors 1 and 2"
*/
__ltr_modelled as (
    select
        {{ run_key("r") }},
        r.doc_id,
        {{ clicked_share("sum(r.click)", "count(*)", "coalesce(" ~ prior_clicks ~ ", 0e0)", "coalesce(" ~ prior_views ~ ", 0e0)") }} as relevance,
        count(*) as views,
        sum(r.click) as clicks
    from __ltr_log as r
    group by {{ run_key("r") }}, r.doc_id
)
