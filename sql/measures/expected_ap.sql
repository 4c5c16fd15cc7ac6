/*
name = "expected_AP"
summary = "Expected AP over all orders of tied documents. Every retrieved document needs a row, judged or not."
formula = "(1 / |relevant|) sum over groups of tied documents, and over i <= n with t + i <= k, of (r / n) (a + 1 + (i - 1) (r - 1) / (n - 1)) / (t + i); the group has n documents, r of them relevant; t documents are above it, a of them relevant"
tex = '\frac{1}{R} \sum_{\text{groups}} \sum_{i = 1}^{n,\; t + i \le k} \frac{r}{n} \cdot \frac{a + 1 + (i - 1) \frac{r - 1}{n - 1}}{t + i}'
range = "[0, 1]"
parameters = ["k", "rel"]
row_source = "tied_positions"
shared_ranks = true
reads = "all"
empty = 0
reference = "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"
*/
sum(case when {{ in_top(k) }} then {{ expected_relevance() }}
    * (d.relevant_above + 1 + coalesce(d.above_in_tie * (d.relevant_tied - 1) / nullif(d.num_tied - 1, 0), 0)) / d.rank
    else 0e0 end)
/ nullif({{ num_rel(rel) }}, 0)
