/*
name = "AverageGain"
aliases = ["QueryAverage"]
summary = "Mean grade of the top k, or of all retrieved documents if there are fewer. Unjudged documents and negative grades count as 0."
formula = "CG@k / min(k, n), n = |retrieved|"
tex = '\frac{1}{\min(k, n)} \sum_{i \le k} \mathit{rel}_i'
range = "[0, inf)"
parameters = ["k"]
reads = "counted"
gains = true
empty = 0
reference = "CatBoost AverageGain, QueryAverage"
*/
{% call unless_empty(empty) %}{{ cg(k) }} / nullif({{ num_ret(k) }}, 0){% endcall %}
