/*
name = "NERR10"
summary = "Normalised expected reciprocal rank, equation 10: the expected gain per viewed rank of a user who stops when satisfied, and otherwise continues with probability p."
formula = "(sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i (1 - gain_i) p"
tex = '\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_1 = 1,\; V_{i+1} = V_i\, (1 - g_i)\, p'
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
