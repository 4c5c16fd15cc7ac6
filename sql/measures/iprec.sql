/*
name = "IPrec"
aliases = ["iprec_at_recall"]
summary = "Interpolated precision: the largest precision at any rank that reaches a level of recall."
formula = "max of P@i over ranks i with |relevant in top i| >= c, c = recall |relevant| rounded (te10), or floor(recall |relevant| + 0.9) (te9)"
tex = '\max \left\{ P@i : r_1 + \dots + r_i \ge \mathit{recall} \cdot R \right\}'
range = "[0, 1]"
parameters = ["recall", "rounding", "rel"]
at = "recall"
cutoff = "required"
empty = 0
reference = "Salton and McGill 1983, Introduction to Modern Information Retrieval; trec_eval iprec_at_recall"
*/
{% call unless_empty(empty, rel) %}{{ max_precision(relevant_so_far(rel), documents_at_share(relevant_of_query(rel), recall, rounding), rel) }}{% endcall %}
