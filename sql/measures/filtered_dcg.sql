/*
name = "FilteredDCG"
summary = "DCG with the discount 1 / rank. CatBoost's value requires a ranking without the documents that have a negative score."
formula = "sum over ranks i <= k of gain / i"
tex = '\sum_{i \le k} \frac{g_i}{i}'
range = "[0, inf)"
parameters = ["k", "gain"]
gains = true
empty = 0
discount = '{{ rank_discount("d.rank") }}'
reference = "CatBoost FilteredDCG"
*/
{% call unless_empty(empty) %}sum(case when {{ in_top(k) }} and d.relevance > 0 then {{ gain_of("d.relevance", gain) }} / d.rank else 0e0 end){% endcall %}
