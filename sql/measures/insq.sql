/*
name = "INSQ"
aliases = []
summary = "Expected gain of a reader who looks for a gain of T, and goes on the more readily the deeper they are."
formula = "expected gain at the reader's rank, of 1 to k, who goes on from rank i with probability ((i + 2T - 1) / (i + 2T))^2"
range = "[0, 1]"
parameters = ["k", "T", "min_rel", "max_rel"]
cutoff = "required"
row_source = "ranks"
empty = 0
reference = "Moffat et al. 2012, Models and metrics: IR evaluation as a user process; cwl_eval INSQ-T (k = 1000)"
[defaults]
k = 1000
*/
{%- set continuation -%} power(1 - 1 / (r.rank + 2e0 * {{ T }}), 2) {%- endset -%}
{{ expected_utility(view_probability("insq", T, continuation=continuation), k) }}
