/*
name = "PrecisionAt"
aliases = ["pre"]
summary = "Share of relevant documents in the top k, or among all retrieved documents if there are fewer."
formula = "|relevant in top k| / min(k, n), n = |retrieved|"
tex = '\frac{1}{\min(k, n)} \sum_{i \le k} r_i'
range = "[0, 1]"
parameters = ["k", "rel"]
reads = "counted"
empty = 0
reference = "CatBoost PrecisionAt; XGBoost pre"
*/
{% call unless_empty(empty, rel) %}{{ num_rel_ret(k, rel) }} / nullif({{ num_ret(k) }}, 0){% endcall %}
