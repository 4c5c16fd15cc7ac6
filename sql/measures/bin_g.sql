/*
name = "BinG"
summary = "Binary G: discounts each relevant document by the number of documents above it that are not relevant."
formula = "(1 / |relevant|) sum over relevant documents of rank i of 1 / log2(2 + i - |relevant in top i|)"
tex = '\frac{1}{R} \sum_i \frac{r_i}{\log_2(2 + i - (r_1 + \dots + r_i))}'
range = "[0, 1]"
parameters = ["rel"]
empty = 0
discount = 'null'
reference = "trec_eval binG"
*/
sum(case when {{ in_top(none) }} and {{ relevant(rel) }} then 1 / log2({{ larger("2e0", "2 + d.rank - " ~ relevant_so_far(rel)) }}) else 0e0 end)
/ nullif({{ num_rel(rel) }}, 0)
