/*
name = "RCap"
aliases = ["relative_P", "R_cap"]
summary = "Capped recall: the number of relevant documents in the top k, divided by the largest number that the top k can hold."
formula = "|relevant in top k| / min(|relevant|, k)"
tex = '\frac{1}{\min(R, k)} \sum_{i \le k} r_i'
range = "[0, 1]"
parameters = ["k", "rel"]
cutoff = "required"
empty = 0
discount = '1e0'
reference = "trec_eval relative_P; R_cap of BEIR"
*/
{{ num_rel_ret(k, rel) }} / nullif({{ smaller(k, num_rel(rel)) }}, 0)
