/*
name = "expected_Success"
aliases = []
summary = "Success, expected over all orders of the documents that share a rank; each retrieved document needs a row, judged or not."
formula = "1 - C(n - r, k - t) / C(n, k - t): r of the n documents of the first rank with something relevant are relevant, and t stand above; 1 if all of these are in the top k"
range = "[0, 1]"
parameters = ["k", "rel"]
row_source = "tied_positions"
shared_ranks = true
reads = "all"
empty = 0
reference = "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"
*/
sum(case when {{ in_top(k) }} then {{ first_relevant_probability(none_relevant_above()) }} else 0e0 end)
