/*
summary = "Rank-biased centroids: sum of weight * (1 - p) * p^(rank - 1)."
reads = "ranks"
weighted = true
value = "(1 - {{ p }}) * power({{ p }}, l.rank - 1)"
reference = "Bailey, Moffat, Scholer & Thomas 2017, SIGIR"
*/
{{ total(weighted_value) }}
