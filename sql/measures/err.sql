/*
name = "ERR"
aliases = ["expected_reciprocal_rank"]
summary = "Expected reciprocal rank of the document that satisfies a user who reads the ranking from the top."
formula = "sum over ranks i <= k of (1 / i) s_i prod over j < i of (1 - s_j), s = (2^relevance - 1) / 2^max_grade, or relevance / max_grade with gain = 'linear'"
tex = '\sum_{i \le k} \frac{s_i}{i} \prod_{j < i} (1 - s_j), \quad s_i = \frac{2^{\mathit{rel}_i} - 1}{2^{\mathit{max}}}'
range = "[0, 1]"
parameters = ["k", "max_grade", "gain"]
empty = 0
discount = '{{ rank_discount("d.rank") }}'
reference = "Chapelle et al. 2009, Expected reciprocal rank for graded relevance; gdeval ERR (max_grade = 4); CatBoost ERR (max_grade = 1, gain = 'linear')"
[choices]
gain = ["linear", "exponential"]
[defaults]
gain = "exponential"
*/
{% call reject_above_scale(max_grade) -%}
case when max(d.relevance) > 0
    then sum(case when {{ in_top(k) }} then {{ not_satisfied_above(max_grade, gain) }} * {{ satisfaction("d.relevance", max_grade, gain) }} / d.rank
    else 0e0 end) end
{%- endcall %}
