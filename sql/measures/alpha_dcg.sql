/*
name = "alpha_DCG"
aliases = ["alpha-DCG"]
summary = "DCG for diversity. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain."
formula = "(sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / log2(i + 1)) / (|subtopics| sum over i <= k of (1 - alpha)^(i - 1) / log2(i + 1))"
tex = '\frac{\sum_{i \le k} \sum_{s \in S_i} (1 - \alpha)^{c_s(i)} / \log_2(i + 1)}{|S| \sum_{i \le k} (1 - \alpha)^{i - 1} / \log_2(i + 1)}, \quad c_s(i) = \text{documents above } i \text{ that cover } s'
range = "[0, 1]"
parameters = ["k", "alpha", "rel"]
cutoff = "required"
row_source = "coverage"
empty = 0
reference = "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation; ndeval alpha-DCG, which is not normalised at k = 1"
*/
{{ novelty("d.rank", times_covered_above(), k, alpha, log_discount("d.rank")) }}
/ ({{ num_subtopics() }} * {{ max_novelty(k, alpha, log_discount("n.rank")) }})
