/*
name = "AP"
aliases = ["MAP", "map_cut"]
summary = "Average precision: the sum of the precision at each relevant document of the top k, divided by the number of relevant documents. The parameter divisor chooses another divisor."
formula = "(1 / divisor) sum over relevant documents of rank i <= k of |relevant with rank <= i| / i, divisor = |relevant|, min(k, |relevant|), |relevant in top k| or k"
tex = '\mathrm{AP}@k = \frac{1}{R} \sum_{i \le k} r_i\, \frac{r_1 + \dots + r_i}{i}'
range = "[0, 1]"
parameters = ["k", "rel", "divisor"]
empty = 0
discount = 'null'
reference = "Harman 1992, Evaluation issues in information retrieval; trec_eval map, map_cut"
[named]
ContextPrecision = { divisor = "found" }
context_precision = { divisor = "found" }
*/
{%- set found = "case when " ~ num_rel_ret(k, rel) ~ " > 0 then " ~ num_rel_ret(k, rel) ~ " else " ~ num_rel(rel) ~ " end" -%}
{{ sum_of_precisions(relevant_so_far(rel), k, rel) }}
/ nullif({{ choose(divisor, {"relevant": num_rel(rel), "reachable": smaller(k, num_rel(rel)), "found": found, "k": given_cutoff(k, "divisor = 'k'")}) }}, 0)
