/*
name = "expected_nDCG"
summary = "Expected nDCG over all orders of tied documents. Every retrieved document needs a row, judged or not."
formula = "(sum over positions i <= k of g_i / log2(i + 1)) / IDCG@k, g_i = mean gain of the documents tied at position i"
tex = '\frac{1}{\mathrm{IDCG}@k} \sum_{i \le k} \frac{\bar g_i}{\log_2(i + 1)}, \quad \bar g_i = \text{mean gain of the documents tied at } i'
range = "[0, 1]"
parameters = ["k", "gain", "discount", "ideal", "level"]
row_source = "tied_positions"
shared_ranks = true
reads = "all"
gains = true
empty = 0
reference = "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores; scikit-learn ndcg_score"
*/
sum(case when {{ in_top(k) }} then {{ expected_gain(gain, level) }} / {{ discount_divisor(discount, "d.rank") }} else 0e0 end)
/ nullif({{ best_dcg(ideal, k, gain, discount, level, idcg, retrieved_of_query()) }}, 0)
