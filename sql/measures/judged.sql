/*
name = "Judged"
aliases = ["judged_cut"]
summary = "Share of documents that the judgments hold among the top k."
formula = "|retrieved in top k with a grade, negative too| / min(k, n)"
range = "[0, 1]"
parameters = ["k"]
row_source = "documents"
reads = "counted"
empty = 0
reference = "ir_measures Judged; trec_eval judged"
*/
sum(case when {{ in_top(k) }} and d.relevance is not null then 1e0 else 0e0 end) / nullif({{ num_ret(k) }}, 0)
