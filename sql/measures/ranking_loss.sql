/*
name = "RankingLoss"
aliases = ["label_ranking_loss"]
summary = "Share of (relevant, nonrelevant) document pairs that the ranking orders incorrectly. Only judged, retrieved documents count."
formula = "(pairs with the nonrelevant document above + (1 - tied) * |pairs at one rank|) / pairs; 0 without pairs"
tex = '\frac{\text{pairs out of order} + (1 - \mathit{tied}) \cdot \text{tied pairs}}{\text{pairs of a relevant and a nonrelevant document}}'
range = "[0, 1], lower is better"
parameters = ["rel", "tied"]
shared_ranks = true
reads = "judged"
better = "lower"
empty = 0
empty_query = "a query without pairs"
reference = "Tsoumakas et al. 2010, Mining multi-label data; scikit-learn label_ranking_loss"
*/
sum(case when {{ in_top(none) }} and {{ relevant(rel) }} then {{ nonrelevant_through_rank(rel) }} - {{ tied }} * {{ nonrelevant_at_rank(rel) }} else 0e0 end)
/ nullif({{ num_rel_ret(none, rel) }} * sum(case when {{ in_top(none) }} and {{ nonrelevant(rel) }} then 1e0 else 0e0 end), 0)
