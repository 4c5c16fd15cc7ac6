/*
name = "KendallDistance"
aliases = []
summary = "Share of the document pairs that two rankings order differently, over the documents in the top k of both."
formula = "discordant pairs / (n (n - 1) / 2)"
range = "[0, 1], NULL if n < 2"
parameters = ["k"]
base = "pairs"
empty = "null"
reference = "Kendall 1938, A new measure of rank correlation; Fagin, Kumar and Sivakumar 2003, Comparing top k lists"
*/
{{ num_pairs(k, discordant()) }} / nullif({{ num_pairs(k) }}, 0)
