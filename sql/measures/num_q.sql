/*
name = "NumQ"
summary = "Number of queries: 1 for each query, summed over queries."
formula = "1"
tex = '|Q|'
range = "1"
parameters = []
empty = 1
takes_empty = false
average = "sum"
reference = "trec_eval num_q"
*/
max(1e0)
