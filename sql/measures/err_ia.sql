/*
name = "ERR_IA"
aliases = ["ERR-IA"]
summary = "Intent-aware expected reciprocal rank. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain."
formula = "(sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / i) / (|subtopics| sum over i <= k of (1 - alpha)^(i - 1) / i)"
tex = '\frac{\sum_{i \le k} \frac{1}{i} \sum_{s \in S_i} (1 - \alpha)^{c_s(i)}}{|S| \sum_{i \le k} (1 - \alpha)^{i - 1} / i}, \quad c_s(i) = \text{documents above } i \text{ that cover } s'
range = "[0, 1]"
parameters = ["k", "alpha", "rel"]
cutoff = "required"
row_source = "coverage"
empty = 0
reference = "Chapelle et al. 2009, Expected reciprocal rank for graded relevance; ndeval ERR-IA, which is not normalised at k = 1"
*/
{{ novelty("d.rank", times_covered_above(), k, alpha, rank_discount("d.rank")) }}
/ ({{ num_subtopics() }} * {{ max_novelty(k, alpha, rank_discount("n.rank")) }})
