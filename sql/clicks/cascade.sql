/*
summary = "Cascade model: users examine each document down to their first click."
formula = "(clicks + prior_clicks) / (views + prior_views) over the rows down to the first click of their list, or all rows of a list without a click; the priors default to 1 and 2"
reads = ["session_id", "rank"]
reference = "Craswell et al. 2008, WSDM; PyClick's CM (attraction)"
*/
{{ attraction_of_examined("min", prior_clicks, prior_views) }}
