/*
summary = "Attraction of the dependent click model: users read down to the last click."
formula = "(clicks + prior_clicks) / (views + prior_views) over the rows down to the last click of their list, or all rows of a list without a click; the priors default to 1 and 2"
reads = ["session_id", "rank"]
reference = "Guo, Liu & Wang 2009, WSDM; PyClick's DCM"
*/
{{ attraction_of_examined("max", prior_clicks, prior_views) }}
