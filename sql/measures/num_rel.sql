/*
name = "NumRel"
summary = "Number of relevant documents of the query, retrieved or not."
formula = "R = |relevant|"
tex = 'R = |\text{relevant}|'
range = "[0, inf)"
parameters = ["rel"]
empty = 0
takes_empty = false
average = "sum"
reference = "trec_eval num_rel"
*/
sum(case when {{ relevant(rel) }} then 1e0 else 0e0 end)
