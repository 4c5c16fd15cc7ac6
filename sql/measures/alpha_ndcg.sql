/*
name = "alpha_nDCG"
aliases = ["alpha-nDCG"]
summary = "nDCG for diversity. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain."
formula = "A / A of the greedy ideal ranking, A = sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / log2(i + 1)"
tex = '\frac{A}{A_{\text{greedy ideal}}}, \quad A = \sum_{i \le k} \frac{\sum_{s \in S_i} (1 - \alpha)^{c_s(i)}}{\log_2(i + 1)}, \quad c_s(i) = \text{documents above } i \text{ that cover } s'
range = "[0, 1], or above 1 if the greedy ideal is not the best ranking"
parameters = ["k", "alpha", "rel"]
row_source = "subtopics"
empty = 0
reference = "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation; ndeval alpha-nDCG"
*/
{{ novelty("d.rank", times_covered_above(), k, alpha, log_discount("d.rank")) }}
/ nullif({{ novelty("d.ideal_rank", times_covered_above_in_ideal(), k, alpha, log_discount("d.ideal_rank")) }}, 0)
