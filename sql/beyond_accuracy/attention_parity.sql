/*
name = "AttentionParity"
aliases = ["IAA"]
summary = "Distance of the groups' shares of exposure from their shares of relevance. Both shares are taken over all lists of the run. 0 if groups get the attention that their relevance deserves. NULL if no document with a group is shown, or none is relevant."
formula = "sum over groups of |share of exposure - share of relevance|"
range = "[0, 2], lower is fairer"
parameters = ["k", "exposure", "p"]
row_source = "group_exposures"
needs = ["documents.group", "qrels.relevance"]
better = "lower"
empty = "null"
reference = "Biega, Gummadi and Weikum 2018, Equity of attention: amortizing individual fairness in rankings"
*/
sum(abs(d.exposure / nullif(d.exposures, 0) - d.merit / nullif(d.merits, 0)))
