/*
name = "nNRBP"
summary = "Novelty- and rank-biased precision, divided by its value for the greedy ideal ranking."
formula = "N / N of the greedy ideal ranking, N = sum over ranks i of beta^(i - 1) (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|)"
tex = '\frac{N}{N_{\text{greedy ideal}}}, \quad N = \sum_i \beta^{i - 1} \sum_{s \in S_i} (1 - \alpha)^{c_s(i)}, \quad c_s(i) = \text{documents above } i \text{ that cover } s'
range = "[0, 1], or above 1 if the greedy ideal is not the best ranking"
parameters = ["alpha", "beta", "rel"]
row_source = "subtopics"
empty = 0
reference = "Clarke, Kolla and Vechtomova 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval nNRBP"
*/
{{ novelty("d.rank", times_covered_above(), none, alpha, reach_probability(beta)) }}
/ nullif({{ novelty("d.ideal_rank", times_covered_above_in_ideal(), none, alpha, reach_probability(beta, "d.ideal_rank")) }}, 0)
