/*
name = "NERR9"
aliases = []
summary = "Expected gain of a reader who goes on as long as no document satisfies them, the more readily the deeper they are."
formula = "expected gain at the reader's rank, of 1 to k, who goes on from rank i with probability (1 - gain) i / (i + 1)"
range = "[0, 1]"
parameters = ["k", "min_rel", "max_rel"]
cutoff = "required"
row_source = "ranks"
empty = 0
reference = "Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq9"
*/
{%- set continuation -%} (1 - r.gain) * r.rank / (r.rank + 1) {%- endset -%}
{{ expected_utility(view_probability("nerr9", continuation=continuation), k) }}
