/*
name = "ThresholdAP"
aliases = ["average_precision_score"]
summary = "Average precision over thresholds of the score: tied documents count together, at the last of their positions. Without ties it equals AP. Every retrieved document needs a row, judged or not."
formula = "sum over ranks of (recall at the rank - recall above it) |relevant at the rank or above| / last position of the rank"
tex = '\sum_j (R_j - R_{j-1})\, P_j'
range = "[0, 1]"
parameters = ["rel"]
shared_ranks = true
reads = "all"
empty = 0
reference = "scikit-learn average_precision_score; torchmetrics BinaryAveragePrecision"
*/
{{ lrap(rel) }}
