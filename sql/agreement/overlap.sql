/*
name = "Overlap"
aliases = []
summary = "Share of the top k that two rankings have in common; k counts in full when they are shorter, and where documents share ranks all that the top k holds."
formula = "|top k of a and of b| / size, size the mean of max(k, |top k of a|) and max(k, |top k of b|): k without ties"
range = "[0, 1], NULL if both are empty"
parameters = ["k"]
row_source = "either_documents"
empty = "null"
reference = "Wu and Crestani 2003, Methods for ranking information retrieval systems without relevance judgments; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap"
*/
{{ num_in_both() }} / {{ mean_top_size(depth_or_default(k, "ceil(max(d.lower_rank))"), "count(d.rank_a)", "count(d.rank_b)") }}
