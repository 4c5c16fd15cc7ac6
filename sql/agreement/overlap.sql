/*
name = "Overlap"
aliases = ["ANNRecall", "ann_recall"]
summary = "Share of the top k that two rankings have in common. The divisor is k even if the rankings are shorter, and larger if ties make the top k larger."
formula = "|in both top k| / size, size = mean of max(k, |top k of a|) and max(k, |top k of b|) (k without ties); without a cutoff, k is the largest rank in the two rankings"
tex = '\frac{|A_k \cap B_k|}{k}'
range = "[0, 1], NULL if both are empty"
parameters = ["k"]
row_source = "either_documents"
empty = "null"
reference = "Wu and Crestani 2003, Methods for ranking information retrieval systems without relevance judgments; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap"
*/
{{ num_in_both() }} / {{ mean_top_size(depth_or_default(k, "ceil(max(d.lower_rank))"), "count(d.rank_a)", "count(d.rank_b)") }}
