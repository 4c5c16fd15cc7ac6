/*
name = "Judged"
aliases = ["judged_cut"]
summary = "Share of judged documents in the top k; a negative grade counts as judged."
formula = "|judged in top k, negative grades included| / min(k, n), n = |retrieved|"
tex = '\frac{|\text{judged in the top } k|}{\min(k, n)}'
range = "[0, 1]"
parameters = ["k"]
reads = "counted"
empty = 0
takes_empty = false
reference = "ir_measures Judged; trec_eval judged"
*/
sum(case when {{ in_top(k) }} and d.relevance is not null then 1e0 else 0e0 end) / nullif({{ num_ret(k) }}, 0)
