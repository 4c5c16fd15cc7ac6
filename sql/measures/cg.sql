/*
name = "CG"
summary = "Cumulative gain: the sum of the positive grades in the top k."
formula = "sum of max(relevance, 0) over ranks <= k"
tex = '\mathrm{CG}@k = \sum_{i \le k} \mathit{rel}_i'
range = "[0, inf)"
parameters = ["k"]
gains = true
empty = 0
discount = '1e0'
reference = "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques"
*/
{% call unless_empty(empty) %}sum(case when {{ in_top(k) }} and d.relevance > 0 then d.relevance else 0e0 end){% endcall %}
