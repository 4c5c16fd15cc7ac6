/*
name = "AUC"
aliases = ["QueryAUC", "roc_auc_score"]
summary = "Area under the ROC curve: the share of the pairs of a relevant and a not relevant document, both judged and retrieved, that the ranking orders right; a tie is half right."
formula = "(pairs with the relevant document above + pairs at one rank / 2) / pairs; NULL without pairs"
range = "[0, 1]"
parameters = ["rel", "empty"]
row_source = "documents"
shared_ranks = true
reads = "judged"
empty = "null"
reference = "Hanley and McNeil 1982, The meaning and use of the area under a ROC curve; CatBoost QueryAUC type=Classic"
[defaults]
empty = "skip"
[summaries]
empty = "value of a query without pairs; 'skip' is NULL, which does not count in the mean"
*/
1 - {{ ranking_loss(rel, 0.5) }}
