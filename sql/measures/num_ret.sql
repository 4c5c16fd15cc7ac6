/*
name = "NumRet"
summary = "Number of retrieved documents in the top k, judged or not."
formula = "min(k, n), n = |retrieved|"
tex = '\min(k, n)'
range = "[0, inf)"
parameters = ["k"]
reads = "counted"
empty = 0
takes_empty = false
average = "sum"
given = { rel = "num_rel_ret" }
reference = "trec_eval num_ret"
*/
coalesce({{ smaller(k, "max(d.num_ret)") }}, 0)
