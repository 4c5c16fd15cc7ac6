/*
name = "Unj"
summary = "Share of unjudged documents in the top k; a negative grade counts as unjudged."
formula = "|retrieved in top k without a grade >= 0| / k"
tex = '\frac{|\text{not judged in the top } k|}{k}'
range = "[0, 1], lower is better"
parameters = ["k"]
cutoff = "required"
reads = "counted"
better = "lower"
empty = 0
takes_empty = false
reference = "trec_eval unj"
*/
({{ num_ret(k) }} - sum(case when {{ in_top(k) }} and {{ graded() }} then 1e0 else 0e0 end)) / {{ k }}
