/*
name = "IDCG"
aliases = ["ideal_dcg"]
summary = "DCG of the ideal ranking: all judged documents of the query, retrieved or not, by descending grade."
formula = "sum over ideal ranks i <= k of gain / log2(i + 1)"
tex = '\mathrm{IDCG}@k = \sum_{i \le k} \frac{g^*_i}{\log_2(i + 1)}, \quad g^*_1 \ge g^*_2 \ge \dots'
range = "[0, inf)"
parameters = ["k", "gain", "discount", "level"]
gains = true
empty = 0
takes_empty = false
reference = "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques"
*/
{{ ideal_discounted_gain(ideal_rank(), k, gain, discount, level) }}
