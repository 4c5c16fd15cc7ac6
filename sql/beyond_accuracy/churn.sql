/*
name = "Churn"
aliases = ["Unexpectedness"]
summary = "Share of the top k that another run, the baseline, does not show in its top k. Places that a short list leaves empty count as changed."
formula = "1 - |in both top k| / k"
range = "[0, 1]"
parameters = ["k"]
cutoff = "required"
row_source = "list_baseline"
needs = ["baseline"]
better = "lower"
empty = "null"
reference = "Adamopoulos and Tuzhilin 2014, On unexpectedness in recommender systems; RePlay Unexpectedness"
*/
1 - sum(case when {{ in_top(k) }} and {{ in_top(k, "d.baseline_rank") }} then 1e0 else 0e0 end) / {{ k }}
