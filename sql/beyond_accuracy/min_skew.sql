/*
name = "MinSkew"
summary = "Skew of the most underrepresented group: the smallest logarithm of the ratio of a group's share of the top k to its target. The minimum leaves out groups that the top k lacks and groups with the target 0. Documents without a group do not count."
formula = "min over groups of ln(share of the documents in the top k / target)"
range = "(-inf, inf)"
parameters = ["k"]
row_source = "list_groups"
needs = ["documents.group", "targets"]
empty = "null"
reference = "Geyik, Ambler and Kenthapadi 2019, Fairness-aware ranking in search and recommendation systems"
*/
min(case when d.documents > 0 and d.target > 0 then ln(1e0 * d.documents / d.all_documents / d.target) end)
