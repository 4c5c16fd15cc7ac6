/*
name = "AUPRC"
aliases = ["PRAUC"]
summary = "Area under the precision-recall curve by the trapezoidal rule. Tied documents count together. The precision at recall 0 is 1. Without ties, the value is at most AP. Every retrieved document needs a row, judged or not."
formula = "sum over ranks of (recall at the rank - recall above it) (precision at the rank + precision above it) / 2, where tied documents all take the last of their positions"
tex = '\sum_j (R_j - R_{j-1})\, \frac{P_j + P_{j-1}}{2}'
range = "[0, 1]"
parameters = ["rel"]
shared_ranks = true
reads = "all"
empty = 0
reference = "Davis and Goadrich 2006, The relationship between precision-recall and ROC curves; scikit-learn auc of precision_recall_curve"
*/
{%- set above = "case when d.rank > 1 then (" ~ relevant_through_rank(rel) ~ " - " ~ relevant_at_rank(rel) ~ ") / (d.rank - 1) else 1e0 end" -%}
sum(case when {{ in_top(none) }}
    and {{ relevant(rel) }} then ({{ relevant_through_rank(rel) }} / (d.rank + {{ documents_at_rank() }} - 1) + {{ above }}) / 2
    else 0e0 end)
/ nullif({{ num_rel(rel) }}, 0)
