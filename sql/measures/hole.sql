/*
name = "Hole"
summary = "Share of the top k that nobody has judged: positions that hold a document without a judgment. A negative grade counts as judged. The divisor is k even if fewer documents were retrieved."
formula = "|retrieved in top k without a judgment| / k"
tex = '\frac{|\text{not judged in the top } k|}{k}'
range = "[0, 1], lower is better"
parameters = ["k", "scope"]
cutoff = "required"
reads = "counted"
better = "lower"
empty = 0
takes_empty = false
reference = "Thakur et al. 2021, BEIR: a heterogeneous benchmark for zero-shot evaluation of information retrieval models; BEIR and MTEB hole"
*/
({{ num_ret(k) }} - {{ judged_in_top(k, scope) }}) / {{ k }}
