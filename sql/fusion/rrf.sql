/*
summary = "Reciprocal rank fusion: sum of weight / (k + rank)."
reads = "ranks"
weighted = true
value = "1e0 / ({{ k }} + l.rank)"
reference = "Cormack, Clarke & Büttcher 2009, SIGIR"
*/
{{ total(weighted_value) }}
