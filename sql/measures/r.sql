/*
name = "R"
aliases = ["Recall", "RecallAt", "SetR", "set_recall", "ContextRecall", "context_recall"]
summary = "Recall: the share of the query's relevant documents, retrieved or not, that are in the top k."
formula = "|relevant in top k| / |relevant|"
tex = 'R@k = \frac{1}{R} \sum_{i \le k} r_i'
range = "[0, 1]"
parameters = ["k", "rel"]
empty = 0
discount = '1e0'
reference = "van Rijsbergen 1979, Information Retrieval; trec_eval recall"
*/
{{ num_rel_ret(k, rel) }} / nullif({{ num_rel(rel) }}, 0)
