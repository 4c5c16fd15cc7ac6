/*
name = "Success"
aliases = ["Accuracy", "HR", "Hit", "hit_rate", "HitRate"]
summary = "1 if a relevant document is in the top k, else 0."
formula = "1 if a relevant document has rank <= k, else 0"
tex = '\max_{i \le k} r_i'
range = "0 or 1"
parameters = ["k", "rel"]
empty = 0
discount = '1e0'
reference = "trec_eval success; accuracy@k of the InformationRetrievalEvaluator of sentence-transformers"
*/
{% call unless_empty(empty, rel) %}max(case when {{ in_top(k) }} and {{ relevant(rel) }} then 1e0 else 0e0 end){% endcall %}
