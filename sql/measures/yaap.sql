/*
name = "YAAP"
summary = "Yet another average precision: AP as smoothed log-odds."
formula = "ln((1 + S) / (1 + R - S)), S = R AP, R = |relevant|"
tex = '\ln \frac{1 + R \cdot \mathrm{AP}}{1 + R - R \cdot \mathrm{AP}}'
range = "(-inf, inf), 0 if nothing is relevant"
parameters = ["rel"]
empty = 0
reference = "Robertson 2012, On smoothing average precision; trec_eval yaap"
*/
{% call unless_empty(empty, rel) %}ln((1 + {{ sum_of_precisions(relevant_so_far(rel), none, rel) }})
    / (1 + {{ num_rel(rel) }} - {{ sum_of_precisions(relevant_so_far(rel), none, rel) }})){% endcall %}
