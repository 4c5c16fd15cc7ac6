/*
name = "AUC"
aliases = ["QueryAUC", "roc_auc_score"]
summary = "Area under the ROC curve: the share of (relevant, nonrelevant) document pairs that the ranking orders correctly. Only judged, retrieved documents count; a tie counts half."
formula = "(pairs with the relevant document above + pairs at one rank / 2) / pairs; NULL without pairs"
tex = '\frac{\text{pairs in order} + \frac{1}{2}\,\text{tied pairs}}{\text{pairs of a relevant and a nonrelevant document}}'
range = "[0, 1]"
parameters = ["rel"]
shared_ranks = true
reads = "judged"
empty = "null"
empty_query = "a query without pairs"
reference = "Hanley and McNeil 1982, The meaning and use of the area under a ROC curve; CatBoost QueryAUC type=Classic"
*/
1 - {{ ranking_loss(rel, 0.5) }}
