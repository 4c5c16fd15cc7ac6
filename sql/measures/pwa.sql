/*
name = "PWA"
summary = "Position-weighted average: the mean grade of the top k, weighted by 1 / rank. Unjudged documents and negative grades count as 0."
formula = "(sum over ranks i <= k of max(relevance, 0) / i) / (sum over i <= k of 1 / i); a user continues from rank i with probability i / (i + 1)"
tex = '\frac{\sum_{i \le k} \mathit{rel}_i / i}{\sum_{i \le k} 1 / i}'
range = "[0, inf)"
parameters = ["k"]
cutoff = "required"
row_source = "ranks"
gains = true
empty = 0
discount = '{{ rank_discount("d.rank") }}'
reference = "TF-Ranking PWAMetric"
*/
{%- set continuation -%} 1e0 * r.rank / (r.rank + 1) {%- endset -%}
{{ expected_utility(view_probability("pwa", continuation=continuation), k) }}
