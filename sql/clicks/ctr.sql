/*
summary = "Share of the impressions with a click, whatever the rank. Favours documents that were shown at the top."
formula = "(clicks + prior_clicks) / (views + prior_views), by default without priors"
reads = []
reference = "Craswell et al. 2008, WSDM (baseline); PyClick's DCTR has the priors 1 and 2"
*/
{{ clicked_documents("__ltr_log", "sum(r.click)", "count(*)", "coalesce(" ~ prior_clicks ~ ", 0e0)", "coalesce(" ~ prior_views ~ ", 0e0)") }}
