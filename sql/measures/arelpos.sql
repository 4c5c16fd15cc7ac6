/*
name = "ARelPos"
summary = "Average relevance position: the mean rank of the retrieved documents, weighted by grade."
formula = "(sum over ranks i of i relevance) / (sum of relevance) over retrieved documents with relevance > 0; NULL if there are none"
tex = '\frac{\sum_i i \cdot \mathit{rel}_i}{\sum_i \mathit{rel}_i}'
range = "[1, inf), lower is better"
parameters = []
better = "lower"
empty = "null"
empty_query = "a query for which no relevant document was retrieved"
reference = "TF-Ranking ARPMetric"
*/
sum(case when {{ in_top(none) }} and d.relevance > 0 then d.rank * d.relevance else 0e0 end)
/ nullif({{ cg(none) }}, 0)
