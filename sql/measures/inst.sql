/*
name = "INST"
aliases = []
summary = "Expected gain of a reader who looks for a gain of T, and goes on the more readily the deeper they are and the more they lack."
formula = "expected gain at the reader's rank, of 1 to k, who goes on from rank i with probability ((i + T + T_i - 1) / (i + T + T_i))^2, T_i = T - gain of ranks 1 to i"
range = "[0, 1]"
parameters = ["k", "T", "min_rel", "max_rel"]
cutoff = "required"
row_source = "ranks"
empty = 0
reference = "Moffat et al. 2015, INST: an adaptive metric for information retrieval evaluation; cwl_eval INST-T (k = 1000)"
[defaults]
k = 1000
*/
{%- set continuation -%} power(1 - 1 / (r.rank + 2e0 * {{ T }} - r.gain_so_far), 2) {%- endset -%}
{{ expected_utility(view_probability("inst", T, continuation=continuation), k) }}
