/*
name = "FalseAlarm"
aliases = ["false_alarm_rate"]
summary = "1 if the system returned something for a query without relevant documents, 0 if it returned nothing. Queries with relevant documents are left out, so the mean is the share of queries without an answer that got one. A cutoff does not change the value, because each list that is not empty has a first document."
formula = "1 if min(k, n) > 0, else 0, n = |retrieved|; NULL if a document is relevant"
tex = '[n > 0] \text{ if } R = 0'
range = "0 or 1, NULL if a document is relevant"
parameters = ["k", "rel"]
reads = "counted"
better = "lower"
empty = "null"
takes_empty = false
reference = "Swets 1988, Measuring the accuracy of diagnostic systems (false-alarm rate); MLflow counts such a query as 1 if nothing is returned, else 0"
*/
case when coalesce(max(d.relevance), 0) < {{ rel }} then case when {{ num_ret(k) }} > 0 then 1e0 else 0e0 end end
