/*
name = "NCRR"
summary = "Normalised cumulative reciprocal rank: the sum of 1 / rank over the relevant documents of the top k, divided by that of the ideal ranking."
formula = "(sum over relevant documents of rank i <= k of 1 / i) / (sum over i <= min(k, n, |relevant|) of 1 / i), n = |retrieved|"
tex = '\frac{\sum_{i \le k} r_i / i}{\sum_{i \le \min(k, n, R)} 1 / i}'
range = "[0, 1]"
parameters = ["k", "rel"]
reads = "counted"
empty = 0
reference = "cornac NCRR"
*/
{% call unless_empty(empty, rel) %}sum(case when {{ in_top(k) }} and {{ relevant(rel) }} then 1e0 / d.rank else 0e0 end)
/ nullif(sum(case when {{ relevant(rel) }} and {{ ideal_rank() }} <= {{ smaller(k, retrieved_of_query()) }} then 1e0 / {{ ideal_rank() }} else 0e0 end),
    0){% endcall %}
