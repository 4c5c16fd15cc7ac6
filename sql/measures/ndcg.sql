/*
name = "nDCG"
aliases = ["ndcg_cut", "ndcg_score"]
summary = "Normalised discounted cumulative gain: DCG divided by the DCG of the ideal ranking."
formula = "DCG@k / IDCG@k, or DCG@k / IDCG with ideal = 'whole'; ideal = 'full' divides by the DCG of k documents of the largest gain, ideal = 'returned' by IDCG@min(k, n), n = |retrieved|"
tex = '\mathrm{nDCG}@k = \frac{\mathrm{DCG}@k}{\mathrm{IDCG}@k}, \quad \mathrm{DCG}@k = \sum_{i \le k} \frac{g_i}{\log_2(i + 1)}'
range = "[0, 1]"
parameters = ["k", "gain", "discount", "ideal", "level"]
reads_with = { ideal = { returned = "counted" } }
gains = true
empty = 0
discount = '1e0 / {{ discount_divisor(discount, "d.rank") }}'
reference = "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; trec_eval ndcg, ndcg_cut"
[named]
ndcg_burges = { gain = "exponential" }
*/
{{ dcg(k, gain, discount, level) }}
/ nullif({{ best_dcg(ideal, k, gain, discount, level, idcg, retrieved_of_query()) }}, 0)
