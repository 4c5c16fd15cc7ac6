/*
name = "OPA"
summary = "Ordered pair accuracy: the share of pairs of documents with different grades that the ranking orders correctly. Only judged, retrieved documents count."
formula = "(pairs with the higher grade above + tied * |pairs at one rank|) / pairs of different grades; NULL without pairs"
tex = '\frac{\text{pairs in order} + \mathit{tied} \cdot \text{tied pairs}}{\text{pairs of different grades}}'
range = "[0, 1]"
parameters = ["tied"]
row_source = "grades"
shared_ranks = true
reads = "judged"
empty = "null"
empty_query = "a query without pairs"
reference = "TF-Ranking OPAMetric; CatBoost QueryAUC type=Ranking (tied = 0.5)"
*/
1 - sum(case when d.relevance = d.grade then {{ lower_grades_through_rank() }} - {{ tied }} * {{ lower_grades_at_rank() }} else 0e0 end)
/ nullif(sum(case when d.relevance = d.grade then {{ lower_grades_of_query() }} else 0e0 end), 0)
