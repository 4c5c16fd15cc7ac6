/*
name = "NumQ"
aliases = []
summary = "One for each query: their number, where queries are averaged."
formula = "1"
range = "1"
parameters = []
row_source = "documents"
empty = 1
average = "sum"
reference = "trec_eval num_q"
*/
max(1e0)
