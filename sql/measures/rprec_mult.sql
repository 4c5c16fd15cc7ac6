/*
name = "RprecMult"
summary = "Precision at a multiple of the number of relevant documents."
formula = "|relevant in top c| / c, c = floor(multiple |relevant| + 0.9)"
tex = '\frac{1}{c} \sum_{i \le c} r_i, \quad c = \lfloor \mathit{multiple} \cdot R + 0.9 \rfloor'
range = "[0, 1]"
parameters = ["multiple", "rel"]
at = "multiple"
cutoff = "required"
empty = 0
discount = '1e0'
reference = "trec_eval Rprec_mult"
*/
{% call unless_empty(empty, rel) %}{{ num_rel_ret(documents_at_share(relevant_of_query(rel), multiple, "te9"), rel) }}
/ nullif({{ documents_at_share(num_rel(rel), multiple, "te9") }}, 0){% endcall %}
