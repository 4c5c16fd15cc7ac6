/*
name = "nERR_IA"
aliases = ["nERR-IA"]
summary = "Intent-aware expected reciprocal rank, divided by its value for the greedy ideal ranking."
formula = "E / E of the greedy ideal ranking, E = sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / i"
tex = '\frac{E}{E_{\text{greedy ideal}}}, \quad E = \sum_{i \le k} \frac{1}{i} \sum_{s \in S_i} (1 - \alpha)^{c_s(i)}, \quad c_s(i) = \text{documents above } i \text{ that cover } s'
range = "[0, 1], or above 1 if the greedy ideal is not the best ranking"
parameters = ["k", "alpha", "rel"]
row_source = "subtopics"
empty = 0
reference = "Chapelle et al. 2009, Expected reciprocal rank for graded relevance; ndeval nERR-IA"
*/
{{ novelty("d.rank", times_covered_above(), k, alpha, rank_discount("d.rank")) }}
/ nullif({{ novelty("d.ideal_rank", times_covered_above_in_ideal(), k, alpha, rank_discount("d.ideal_rank")) }}, 0)
