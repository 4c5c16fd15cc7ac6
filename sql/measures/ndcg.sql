/*
name = "nDCG"
aliases = ["ndcg_cut"]
summary = "DCG divided by the DCG of the ideal ranking."
formula = "DCG@k / IDCG@k"
range = "[0, 1]"
parameters = ["k", "gain"]
base = "documents"
empty = 0
discount = '{{ by_log("d.rank") }}'
reference = "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; trec_eval ndcg, ndcg_cut"
*/
{{ dcg(k, gain) }}
/ nullif({{ idcg(k, gain) }}, 0)
