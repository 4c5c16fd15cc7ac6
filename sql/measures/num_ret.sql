/*
name = "NumRet"
aliases = []
summary = "Number of retrieved documents in the top k, judged or not."
formula = "min(k, n), n = |retrieved|"
tex = '\min(k, n)'
range = "[0, inf)"
parameters = ["k"]
row_source = "documents"
reads = "counted"
empty = 0
average = "sum"
reference = "trec_eval num_ret"
*/
coalesce({{ smaller(k, "max(d.num_ret)") }}, 0)
