/*
name = "GradedRBP"
summary = "Rank-biased precision of graded documents: the expected gain per viewed rank of a user who continues to the next rank with probability p."
formula = "(1 - p) sum over ranks i <= k of (relevance / unit) p^(i - 1)"
tex = '(1 - p) \sum_{i \le k} \frac{\mathit{rel}_i}{\mathit{unit}}\, p^{i - 1}'
range = "[0, largest grade / unit]"
parameters = ["k", "p", "unit", "level"]
fraction = "p"
gains = true
empty = 0
discount = '{{ reach_probability(p) }}'
reference = "Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness; ranx rbp (unit = 1)"
*/
{% call unless_empty(empty, level=level) %}(1 - {{ p }}) / {{ unit }}
    * sum(case when {{ in_top(k) }} and {{ has_gain(level, "d.relevance") }} then d.relevance * {{ reach_probability(p) }} else 0e0 end){% endcall %}
