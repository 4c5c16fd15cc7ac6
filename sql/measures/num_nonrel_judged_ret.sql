/*
name = "NumNonrelJudgedRet"
summary = "Number of retrieved documents that are judged nonrelevant."
formula = "|retrieved with 0 <= relevance < rel|"
tex = '|\{ \text{retrieved} : 0 \le \mathit{relevance} < \mathit{rel} \}|'
range = "[0, inf)"
parameters = ["rel"]
reads = "judged"
empty = 0
takes_empty = false
average = "sum"
reference = "trec_eval num_nonrel_judged_ret"
*/
sum(case when {{ in_top(none) }} and {{ nonrelevant(rel) }} then 1e0 else 0e0 end)
