/*
name = "NERR8"
summary = "Normalised expected reciprocal rank, equation 8: the expected gain per viewed rank of a user who stops when a document satisfies them."
formula = "(sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i (1 - gain_i)"
tex = '\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_1 = 1,\; V_{i+1} = V_i\, (1 - g_i)'
range = "[0, 1]"
parameters = ["k", "min_rel", "max_rel"]
cutoff = "required"
row_source = "ranks"
empty = 0
reference = "Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq8"
*/
{%- set continuation -%} 1 - r.gain {%- endset -%}
{{ expected_utility(view_probability("nerr8", continuation=continuation), k) }}
