/*
name = "NDKL"
summary = "Normalised discounted cumulative KL divergence of the groups in each prefix of the list from their targets. 0 if every prefix meets the targets. Documents without a group are left out, and the others move up. NULL if the top k shows a group with the target 0, or no document with a group."
formula = "sum over prefixes i of KL(D_i, t) / log2(i + 1), divided by the sum of 1 / log2(i + 1), in nats"
range = "[0, inf), lower is fairer"
parameters = ["k"]
row_source = "list_prefixes"
needs = ["documents.group", "targets"]
better = "lower"
empty = "null"
reference = "Geyik, Ambler and Kenthapadi 2019, Fairness-aware ranking in search and recommendation systems"
*/
case when sum(d.impossible) = 0 then sum(d.divergence * {{ log_discount("d.position") }}) / sum({{ log_discount("d.position") }}) end
