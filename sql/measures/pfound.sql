/*
name = "PFound"
summary = "Probability that the user finds a satisfying document. After an unsatisfying document, the user continues with the probability `decay`."
formula = "sum over ranks i <= k of s_i decay^(i - 1) prod over j < i of (1 - s_j), s = max(relevance, 0) / max_grade"
tex = '\sum_{i \le k} s_i\, \mathit{decay}^{\,i - 1} \prod_{j < i} (1 - s_j), \quad s_i = \frac{\mathit{rel}_i}{\mathit{max}}'
range = "[0, 1]"
parameters = ["k", "max_grade", "decay"]
empty = 0
discount = '{{ reach_probability(decay) }}'
reference = "Yandex pFound, Gulin et al. 2009; CatBoost PFound (max_grade = 1)"
*/
{% call unless_empty(empty) %}{% call reject_above_scale(max_grade) -%}
sum(case when {{ in_top(k) }} then {{ not_satisfied_above(max_grade, "linear") }} * {{ reach_probability(decay) }}
    * {{ satisfaction("d.relevance", max_grade, "linear") }} else 0e0 end)
{%- endcall %}{% endcall %}
