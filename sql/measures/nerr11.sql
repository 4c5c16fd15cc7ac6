/*
name = "NERR11"
aliases = []
summary = "Expected gain of a reader who goes on as long as no document satisfies them, as in INSQ otherwise."
formula = "expected gain at the reader's rank, of 1 to k, who goes on from rank i with probability (1 - gain) ((i + 2T - 1) / (i + 2T))^2"
range = "[0, 1]"
parameters = ["k", "T", "min_rel", "max_rel"]
cutoff = "required"
row_source = "ranks"
empty = 0
reference = "Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq11 (k = 1000)"
[defaults]
k = 1000
*/
{%- set continuation -%} (1 - r.gain) * power(1 - 1 / (r.rank + 2e0 * {{ T }}), 2) {%- endset -%}
{{ expected_utility(view_probability("nerr11", T, continuation=continuation), k) }}
