/*
name = "expected_RR"
summary = "Expected RR over all orders of tied documents. Every retrieved document needs a row, judged or not."
formula = "sum over i with t + i <= k of C(n - i, r - 1) / C(n, r) / (t + i); the first group of tied documents with a relevant one has n documents, r of them relevant, and t documents above it"
tex = '\sum_{i \ge 1,\; t + i \le k} \frac{\binom{n - i}{r - 1}}{\binom{n}{r}} \cdot \frac{1}{t + i}'
range = "[0, 1]"
parameters = ["k", "rel"]
row_source = "tied_positions"
shared_ranks = true
reads = "all"
empty = 0
reference = "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"
*/
{% call unless_empty(empty, rel) %}sum(case when {{ in_top(k) }} then {{ first_relevant_probability(none_relevant_above()) }} / d.rank
    else 0e0 end){% endcall %}
