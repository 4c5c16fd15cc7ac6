/*
name = "DCG"
aliases = []
summary = "Discounted cumulative gain: the gains of the top k, each divided by log2(rank + 1)."
formula = "sum over ranks i <= k of gain / log2(i + 1)"
range = "[0, inf)"
parameters = ["k", "gain"]
base = "documents"
empty = 0
discount = '{{ by_log("d.rank") }}'
reference = "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; Burges et al. 2005 (exponential gain)"
*/
{{ discounted_gain("d.rank", k, gain) }}
