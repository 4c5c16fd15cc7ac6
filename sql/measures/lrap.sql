/*
name = "LRAP"
aliases = ["label_ranking_average_precision_score"]
summary = "Label ranking average precision: the mean precision at the relevant documents. Tied documents all take the last of their positions."
formula = "(1 / |relevant|) sum over relevant retrieved documents of |relevant at their rank or above| / last position of their rank; 1 if nothing is relevant"
tex = '\frac{1}{R} \sum_{d\,\text{relevant}} \frac{|\text{relevant at or above the rank of } d|}{\text{last position of the rank of } d}'
range = "[0, 1]"
parameters = ["rel"]
shared_ranks = true
reads = "all"
empty = 1
reference = "Tsoumakas et al. 2010, Mining multi-label data; scikit-learn label_ranking_average_precision_score"
*/
sum(case when {{ in_top(none) }} and {{ relevant(rel) }} then {{ relevant_through_rank(rel) }} / (d.rank + {{ documents_at_rank() }} - 1) else 0e0 end)
/ nullif({{ num_rel(rel) }}, 0)
