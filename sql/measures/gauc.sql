/*
name = "GAUC"
aliases = ["GroupAUC", "WeightedAUC", "wuAUC"]
summary = "AUC of each user, averaged with the number of the user's impressions, or of clicks, as weight. A query is a user. Only judged, retrieved documents count; a tie counts half. A user whose documents are all relevant, or all not, is left out of value and weight."
formula = "AUC; over queries sum of weight * AUC / sum of weight, weight = |documents| or |relevant documents|"
tex = '\frac{\sum_u w_u\, \mathrm{AUC}_u}{\sum_u w_u}'
range = "[0, 1]"
parameters = ["rel", "weight"]
shared_ranks = true
reads = "judged"
empty = "null"
empty_query = "a query without pairs"
average = "weighted"
weight = """{{ choose(weight, {
    "impressions": "sum(case when d.rank is not null and d.relevance >= 0 then 1e0 else 0e0 end)",
    "clicks": num_rel_ret(none, rel),
}) }}"""
reference = "Zhu et al. 2017, Optimized cost per click in Taobao display advertising; Zhou et al. 2018, Deep interest network for click-through rate prediction"
*/
{{ auc(rel) }}
