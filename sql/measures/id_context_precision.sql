/*
name = "IDContextPrecision"
aliases = ["IDBasedContextPrecision", "id_based_context_precision"]
summary = "Share of relevant documents among the retrieved ones, left out of the mean if nothing was retrieved. PrecisionAt is 0 there."
formula = "|relevant in top k| / min(k, n), n = |retrieved|; NULL if n = 0"
tex = '\frac{1}{\min(k, n)} \sum_{i \le k} r_i'
range = "[0, 1], NULL if nothing was retrieved"
parameters = ["k", "rel"]
reads = "counted"
empty = "null"
takes_empty = false
reference = "RAGAS IDBasedContextPrecision"
*/
{{ num_rel_ret(k, rel) }} / nullif({{ num_ret(k) }}, 0)
