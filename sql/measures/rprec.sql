/*
name = "Rprec"
aliases = ["R-Precision", "r_precision"]
summary = "R-precision: the precision at rank R, the number of relevant documents."
formula = "|relevant in top R| / R, R = |relevant|"
tex = '\frac{1}{R} \sum_{i \le R} r_i'
range = "[0, 1]"
parameters = ["rel"]
empty = 0
discount = '1e0'
reference = "trec_eval Rprec"
*/
{{ r(relevant_of_query(rel), rel) }}
