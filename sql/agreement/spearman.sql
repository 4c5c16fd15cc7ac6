/*
name = "Spearman"
aliases = ["SpearmanRho"]
summary = "Spearman's rho: the Pearson correlation of the average ranks in two rankings, over the documents in the top k of both."
formula = "cov(rank_a, rank_b) / sqrt(var(rank_a) var(rank_b))"
tex = '\frac{\mathrm{cov}(\mathit{rank}_a, \mathit{rank}_b)}{\sqrt{\mathrm{var}(\mathit{rank}_a)\, \mathrm{var}(\mathit{rank}_b)}}'
range = "[-1, 1], NULL if n < 2 or a ranking ties all documents"
parameters = ["k"]
row_source = "common_documents"
empty = "null"
reference = "Spearman 1904, The proof and measurement of association between two things; scipy.stats.spearmanr"
*/
{{ rank_covariance(average_rank_a(), average_rank_b()) }}
/ nullif(sqrt({{ rank_covariance(average_rank_a(), average_rank_a()) }} * {{ rank_covariance(average_rank_b(), average_rank_b()) }}), 0)
