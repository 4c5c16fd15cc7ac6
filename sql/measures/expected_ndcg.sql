/*
name = "expected_nDCG"
aliases = []
summary = "nDCG, expected over all orders of the documents that share a rank; each retrieved document needs a row, judged or not."
formula = "(sum over places i <= k of the mean gain of the rank that i belongs to / log2(i + 1)) / IDCG@k"
range = "[0, 1]"
parameters = ["k", "gain", "discount", "ideal", "empty", "level"]
row_source = "tied_positions"
shared_ranks = true
reads = "all"
gains = true
empty = 0
reference = "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores; scikit-learn ndcg_score"
*/
sum(case when {{ in_top(k) }} then {{ expected_gain(gain, level) }} / {{ discount_divisor(discount, "d.rank") }} else 0e0 end)
/ nullif({{ choose(ideal, {"cut": idcg(k, gain, discount, level), "whole": idcg(none, gain, discount, level)}) }}, 0)
