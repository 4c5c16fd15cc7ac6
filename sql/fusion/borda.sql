/*
summary = "Borda count: with N documents of the query, a run gives N - rank + 1 points to each of its documents. It shares the remaining points equally among the documents that it lacks."
reads = "ranks"
weighted = true
value = "p.documents - l.rank + 1e0"
absent = "(p.documents - q.documents + 1) / 2e0"
reference = "Aslam & Montague 2001, SIGIR"
*/
{{ total(weighted_value) }}
