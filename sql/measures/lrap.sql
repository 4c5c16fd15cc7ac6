/*
name = "LRAP"
aliases = ["label_ranking_average_precision_score"]
summary = "Label ranking average precision: the precision at each relevant document, averaged over all of them; documents at one rank all stand at the last of the places that they take."
formula = "(1 / |relevant|) sum over relevant documents of |relevant of that rank or above| / last place of that rank; 1 when nothing is relevant"
range = "[0, 1]"
parameters = ["rel"]
row_source = "documents"
shared_ranks = true
reads = "all"
empty = 1
reference = "Tsoumakas et al. 2010, Mining multi-label data; scikit-learn label_ranking_average_precision_score"
*/
sum(case when {{ in_top(none) }} and {{ relevant(rel) }} then {{ relevant_through_rank(rel) }} / (d.rank + {{ documents_at_rank() }} - 1) else 0e0 end)
/ nullif({{ num_rel(rel) }}, 0)
