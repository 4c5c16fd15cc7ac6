/*
name = "NRBP"
summary = "Novelty- and rank-biased precision: RBP for diversity. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain."
formula = "((1 - (1 - alpha) beta) / |subtopics|) sum over ranks i of beta^(i - 1) (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|)"
tex = '\frac{1 - (1 - \alpha) \beta}{|S|} \sum_i \beta^{i - 1} \sum_{s \in S_i} (1 - \alpha)^{c_s(i)}, \quad c_s(i) = \text{documents above } i \text{ that cover } s'
range = "[0, 1]"
parameters = ["alpha", "beta", "rel"]
row_source = "coverage"
empty = 0
reference = "Clarke, Kolla and Vechtomova 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval NRBP"
*/
(1e0 - (1e0 - {{ alpha }}) * {{ beta }}) / {{ num_subtopics() }}
* {{ novelty("d.rank", times_covered_above(), none, alpha, reach_probability(beta)) }}
