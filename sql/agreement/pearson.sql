/*
name = "Pearson"
aliases = ["PearsonR"]
summary = "Pearson correlation of the scores of two rankings, over the documents in the top k of both."
formula = "cov(score_a, score_b) / sqrt(var(score_a) var(score_b))"
tex = '\frac{\mathrm{cov}(\mathit{score}_a, \mathit{score}_b)}{\sqrt{\mathrm{var}(\mathit{score}_a)\, \mathrm{var}(\mathit{score}_b)}}'
range = "[-1, 1], NULL if n < 2 or all scores of a ranking are equal"
parameters = ["k"]
row_source = "scores"
empty = "null"
reference = "Pearson 1895, Notes on regression and inheritance in the case of two parents; scipy.stats.pearsonr"
*/
{{ if_both_vary("sum(d.deviation_a * d.deviation_b) / sqrt(sum(d.deviation_a * d.deviation_a) * sum(d.deviation_b * d.deviation_b))", "score") }}
