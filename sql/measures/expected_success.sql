/*
name = "expected_Success"
summary = "Expected Success over all orders of tied documents. Every retrieved document needs a row, judged or not."
formula = "1 - C(n - r, k - t) / C(n, k - t), or 1 if t + n <= k, or 0 if t >= k; the first group of tied documents with a relevant one has n documents, r of them relevant, and t documents above it"
tex = '1 - \frac{\binom{n - r}{k - t}}{\binom{n}{k - t}}'
range = "[0, 1]"
parameters = ["k", "rel"]
row_source = "tied_positions"
shared_ranks = true
reads = "all"
empty = 0
reference = "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"
*/
{% call unless_empty(empty, rel) %}sum(case when {{ in_top(k) }} then {{ first_relevant_probability(none_relevant_above()) }} else 0e0 end){% endcall %}
