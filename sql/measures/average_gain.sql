/*
name = "AverageGain"
aliases = ["QueryAverage"]
summary = "Mean grade of the top k, or of all documents where fewer were retrieved."
formula = "CG@k / min(k, n)"
range = "[0, inf)"
parameters = ["k"]
row_source = "documents"
reads = "counted"
gains = true
empty = 0
reference = "CatBoost AverageGain, QueryAverage"
*/
{{ cg(k) }} / nullif({{ num_ret(k) }}, 0)
