/*
name = "EER"
summary = "Expected exposure relevance: how well the exposure of groups agrees with their targets. The exposure of a group is its mean over the lists of the run. For several rankings of one query, give each its own query_id, and pass a column with the original query as a key."
formula = "sum over groups of e T, e = mean exposure of the group, T = mean target of the group over the lists, times the exposure of a list of `depth` documents"
range = "[0, inf)"
parameters = ["exposure", "p", "depth", "counts"]
row_source = "expected_exposures"
needs = ["documents.group", "targets", "qrels.relevance if counts = relevant"]
empty = "null"
reference = "Diaz et al. 2020, Evaluating stochastic rankings with expected exposure; TREC Fair Ranking 2022"
[defaults]
depth = 20
[summaries]
depth = "length of the list whose exposure the targets divide among groups"
*/
sum(d.exposure * d.due)
