/*
name = "OPA"
aliases = []
summary = "Ordered pair accuracy: the share of the pairs of different grades, both judged and retrieved, that have the higher grade above."
formula = "(pairs with the higher grade above + tied pairs at one rank) / pairs of different grades; NULL without pairs"
range = "[0, 1]"
parameters = ["tied", "empty"]
row_source = "grades"
shared_ranks = true
reads = "judged"
empty = "null"
reference = "TF-Ranking OPAMetric; CatBoost QueryAUC type=Ranking (tied = 0.5)"
[defaults]
empty = "skip"
[summaries]
empty = "value of a query without pairs; 'skip' is NULL, which does not count in the mean"
*/
1 - sum(case when d.relevance = d.grade then {{ lower_grades_through_rank() }} - {{ tied }} * {{ lower_grades_at_rank() }} else 0e0 end)
/ nullif(sum(case when d.relevance = d.grade then {{ lower_grades_of_query() }} else 0e0 end), 0)
