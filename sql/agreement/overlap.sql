/*
name = "Overlap"
aliases = []
summary = "Share of the top k that two rankings have in common; k counts in full when they are shorter."
formula = "|top k of a and of b| / k"
range = "[0, 1], NULL if both are empty"
parameters = ["k"]
base = "lists"
empty = "null"
reference = "Wu and Crestani 2003, Methods for ranking information retrieval systems without relevance judgments"
*/
{{ num_both() }} / {{ depth_of(k, "max(d.lower_rank)") }}
