/*
name = "SDCG"
summary = "Scaled DCG: DCG divided by the DCG of k documents with the largest gain."
formula = "(sum over ranks i <= k of gain / log2(i + 1)) / (sum over i <= k of 1 / log2(i + 1)); a user continues from rank i with probability log2(i + 1) / log2(i + 2)"
tex = '\frac{\sum_{i \le k} g_i / \log_2(i + 1)}{\sum_{i \le k} 1 / \log_2(i + 1)}'
range = "[0, 1]"
parameters = ["k", "min_rel", "max_rel"]
cutoff = "required"
row_source = "ranks"
empty = 0
reference = "Moffat and Zobel 2008, Rank-biased precision; cwl_eval SDCG-k"
*/
{%- set continuation -%} log2(r.rank + 1) / log2(r.rank + 2) {%- endset -%}
{{ expected_utility(view_probability("sdcg", continuation=continuation), k) }}
