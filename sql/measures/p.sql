/*
name = "P"
aliases = ["Precision"]
summary = "Precision: the share of relevant documents in the top k. The divisor is k even if fewer documents were retrieved."
formula = "|relevant in top k| / k"
tex = 'P@k = \frac{1}{k} \sum_{i \le k} r_i'
range = "[0, 1]"
parameters = ["k", "rel"]
cutoff = "required"
empty = 0
discount = '1e0'
reference = "van Rijsbergen 1979, Information Retrieval; trec_eval P"
*/
{% call unless_empty(empty, rel) %}{{ num_rel_ret(k, rel) }} / {{ k }}{% endcall %}
