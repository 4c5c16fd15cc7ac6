/*
name = "KendallTau"
aliases = []
summary = "Kendall's tau-b of two rankings, over the documents in the top k of both."
formula = "(concordant - discordant) / sqrt((pairs - pairs tied in a) (pairs - pairs tied in b))"
range = "[-1, 1], NULL if n < 2 or a ranking ties all documents"
parameters = ["k"]
base = "pairs"
empty = "null"
reference = "Kendall 1945, The treatment of ties in ranking problems; scipy.stats.kendalltau"
*/
({{ num_pairs(k, concordant()) }} - {{ num_pairs(k, discordant()) }})
/ nullif(sqrt({{ num_pairs(k, "d.x_a <> d.y_a") }} * {{ num_pairs(k, "d.x_b <> d.y_b") }}), 0)
