/*
name = "PrecisionAt"
aliases = ["pre"]
summary = "Share of relevant documents among the top k, or among all retrieved ones where they are fewer."
formula = "|relevant in top k| / min(k, n)"
range = "[0, 1]"
parameters = ["k", "rel"]
row_source = "documents"
reads = "counted"
empty = 0
reference = "CatBoost PrecisionAt; XGBoost pre"
*/
{{ num_rel_ret(k, rel) }} / nullif({{ num_ret(k) }}, 0)
