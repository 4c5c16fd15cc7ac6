/*
name = "RBP"
summary = "Rank-biased precision: the expected number of relevant documents viewed, divided by the expected number of documents viewed. The user continues to the next rank with probability p."
formula = "(1 - p) sum over relevant documents of rank i <= k of p^(i - 1)"
tex = '(1 - p) \sum_{i \le k} r_i\, p^{i - 1}'
range = "[0, 1]"
parameters = ["k", "p", "rel"]
fraction = "p"
empty = 0
discount = '{{ reach_probability(p) }}'
reference = "Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness; trec_eval rbp"
*/
{% call unless_empty(empty, rel) %}(1 - {{ p }})
    * sum(case when {{ in_top(k) }} and {{ relevant(rel) }} then {{ reach_probability(p) }} else 0e0 end){% endcall %}
