/*
name = "AWRF"
summary = "Attention-weighted rank fairness: 1 minus the Jensen-Shannon divergence of the groups' shares of exposure from their targets. 1 if both are equal. Documents without a group do not count. NULL if no document in the top k has a group."
formula = "1 - JS(e, t), e = share of the group in the exposure of the top k, t = target of the group, JS in nats"
range = "[1 - ln 2, 1]"
parameters = ["k", "exposure", "p"]
row_source = "list_groups"
needs = ["documents.group", "targets"]
empty = "null"
reference = "Sapiezynski et al. 2019, Quantifying the impact of user attention on fair group representation in ranked lists; TREC Fair Ranking 2022"
*/
1 - {{ jensen_shannon("d.exposure / nullif(d.exposures, 0)", "d.target") }}
