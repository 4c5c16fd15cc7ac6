/*
name = "expected_P"
summary = "Expected P over all orders of tied documents. Every retrieved document needs a row, judged or not."
formula = "(sum over positions i <= k of the share of relevant documents among those tied at position i) / k"
tex = '\frac{1}{k} \sum_{i \le k} \bar r_i, \quad \bar r_i = \text{share of relevant documents among those tied at } i'
range = "[0, 1]"
parameters = ["k", "rel"]
cutoff = "required"
row_source = "tied_positions"
shared_ranks = true
reads = "all"
empty = 0
reference = "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"
*/
{% call unless_empty(empty, rel) %}{{ expected_num_rel_ret(k) }} / {{ k }}{% endcall %}
