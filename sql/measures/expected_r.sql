/*
name = "expected_R"
summary = "Expected R over all orders of tied documents. Every retrieved document needs a row, judged or not."
formula = "(sum over positions i <= k of the share of relevant documents among those tied at position i) / |relevant|"
tex = '\frac{1}{R} \sum_{i \le k} \bar r_i, \quad \bar r_i = \text{share of relevant documents among those tied at } i'
range = "[0, 1]"
parameters = ["k", "rel"]
row_source = "tied_positions"
shared_ranks = true
reads = "all"
empty = 0
reference = "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"
*/
{{ expected_num_rel_ret(k) }} / nullif({{ num_rel(rel) }}, 0)
