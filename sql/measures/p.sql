/*
name = "P"
aliases = ["Precision"]
summary = "Share of relevant documents among the top k; k counts in full when fewer were retrieved."
formula = "|relevant in top k| / k"
range = "[0, 1]"
parameters = ["k", "rel"]
cutoff = "required"
row_source = "documents"
empty = 0
discount = '1e0'
reference = "van Rijsbergen 1979, Information Retrieval; trec_eval P"
*/
{{ num_rel_ret(k, rel) }} / {{ k }}
