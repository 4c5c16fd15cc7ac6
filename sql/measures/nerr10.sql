/*
name = "NERR10"
aliases = []
summary = "Expected gain of a reader who goes on as long as no document satisfies them and patience lasts."
formula = "expected gain at the reader's rank, of 1 to k, who goes on from rank i with probability (1 - gain) p"
range = "[0, 1]"
parameters = ["k", "p", "min_rel", "max_rel"]
cutoff = "required"
row_source = "ranks"
empty = 0
reference = "Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq10 (k = 1000)"
[defaults]
k = 1000
*/
{%- set continuation -%} (1 - r.gain) * {{ p }} {%- endset -%}
{{ expected_utility(view_probability("nerr10", p, continuation=continuation), k) }}
