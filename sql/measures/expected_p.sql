/*
name = "expected_P"
aliases = []
summary = "P, expected over all orders of the documents that share a rank; each retrieved document needs a row, judged or not."
formula = "(sum over places i <= k of |relevant of the rank that i belongs to| / |documents of that rank|) / k"
range = "[0, 1]"
parameters = ["k", "rel"]
cutoff = "required"
row_source = "tied_positions"
shared_ranks = true
reads = "all"
empty = 0
reference = "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"
*/
{{ expected_num_rel_ret(k) }} / {{ k }}
