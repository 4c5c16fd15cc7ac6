/*
name = "NumRelRet"
aliases = ["hits"]
summary = "Number of relevant documents in the top k."
formula = "H = |relevant in top k|"
tex = '\sum_{i \le k} r_i'
range = "[0, inf)"
parameters = ["k", "rel"]
empty = 0
takes_empty = false
average = "sum"
discount = '1e0'
reference = "trec_eval num_rel_ret; ranx hits"
*/
sum(case when {{ in_top(k) }} and {{ relevant(rel) }} then 1e0 else 0e0 end)
