/*
name = "AP"
aliases = ["MAP", "map_cut"]
summary = "Average precision: the precision at each relevant document of the top k, summed and divided by all relevant documents."
formula = "(1 / |relevant|) sum over relevant documents of rank i <= k of |relevant with rank <= i| / i"
range = "[0, 1]"
parameters = ["k", "rel"]
base = "documents"
empty = 0
discount = 'null'
reference = "Harman 1992, Evaluation issues in information retrieval; trec_eval map, map_cut"
*/
{{ summed_precision(relevant_so_far(rel), k, rel) }}
/ nullif({{ num_rel(rel) }}, 0)
