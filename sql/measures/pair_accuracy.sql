/*
name = "PairAccuracy"
summary = "Share of (relevant, other) document pairs in the top k that the ranking orders correctly."
formula = "1 - (sum over relevant documents of rank i <= k of (i - |relevant with rank <= i|)) / (|relevant in top k| (min(k, n) - |relevant in top k|)), n = |retrieved|; NULL without such a pair"
tex = '1 - \frac{\sum_{i \le k} r_i\, (i - (r_1 + \dots + r_i))}{H\, (\min(k, n) - H)}, \quad H = \sum_{i \le k} r_i'
range = "[0, 1]"
parameters = ["k", "rel"]
reads = "counted"
empty = "null"
empty_query = "a query without pairs"
reference = "ir_measures Accuracy; without k the area under the ROC curve of the ranking"
*/
1 - sum(case when {{ in_top(k) }} and {{ relevant(rel) }} then d.rank - {{ relevant_so_far(rel) }} else 0e0 end)
/ nullif({{ num_rel_ret(k, rel) }} * ({{ num_ret(k) }} - {{ num_rel_ret(k, rel) }}), 0)
