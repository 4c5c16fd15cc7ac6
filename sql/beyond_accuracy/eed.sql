/*
name = "EED"
summary = "Expected exposure disparity: how unequal the exposure of groups is. The exposure of a group is its mean over the lists of the run. For several rankings of one query, give each its own query_id, and pass a column with the original query as a key."
formula = "sum over groups of e^2, e = mean exposure of the group"
range = "[0, inf)"
parameters = ["exposure", "p", "depth", "counts"]
row_source = "expected_exposures"
needs = ["documents.group", "targets", "qrels.relevance if counts = relevant"]
empty = "null"
reference = "Diaz et al. 2020, Evaluating stochastic rankings with expected exposure; TREC Fair Ranking 2022"
[defaults]
depth = 20
[summaries]
depth = "no effect on EED; it sets the targets of EER and EEL"
*/
sum(d.exposure * d.exposure)
