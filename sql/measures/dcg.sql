/*
name = "DCG"
aliases = ["dcg_score"]
summary = "Discounted cumulative gain: the sum of the gains in the top k, each divided by log2(rank + 1), or by the rank."
formula = "sum over ranks i <= k of gain / log2(i + 1)"
tex = '\mathrm{DCG}@k = \sum_{i \le k} \frac{g_i}{\log_2(i + 1)}'
range = "[0, inf)"
parameters = ["k", "gain", "discount", "level"]
gains = true
empty = 0
discount = '1e0 / {{ discount_divisor(discount, "d.rank") }}'
reference = "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; Burges et al. 2005 (exponential gain)"
[named]
dcg_burges = { gain = "exponential" }
*/
{% call unless_empty(empty, level=level) %}{{ discounted_gain("d.rank", k, gain, discount, level) }}{% endcall %}
