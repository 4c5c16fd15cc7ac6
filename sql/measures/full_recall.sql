/*
name = "FullRecall"
aliases = ["AllFound", "all_found"]
summary = "1 if the top k holds every relevant document of the query, else 0."
formula = "1 if all relevant documents have rank <= k, else 0"
tex = '\left[ \sum_{i \le k} r_i = R \right]'
range = "0 or 1"
parameters = ["k", "rel"]
empty = 0
reference = "AutoRAG-Research full_recall"
*/
min(case when {{ relevant(rel) }} then case when {{ in_top(k) }} then 1e0 else 0e0 end end)
