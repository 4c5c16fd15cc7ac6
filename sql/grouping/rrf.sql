/*
summary = "Reciprocal rank fusion of the chunks."
formula = "sum of 1 / (60 + rank)"
reference = "Cormack, Clarke & Büttcher 2009, SIGIR"
*/
{{ sum_in_order("1e0 / (60e0 + r.rank)") }}
