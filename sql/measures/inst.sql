/*
name = "INST"
summary = "INST: the expected gain per viewed rank of a user who wants a total gain of T. The user continues more readily at deeper ranks and while more gain is missing."
formula = "(sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i ((i + T + T_i - 1) / (i + T + T_i))^2, T_i = T - gain of ranks 1 to i"
tex = '\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_1 = 1,\; V_{i+1} = V_i\, \left( \frac{i + T + T_i - 1}{i + T + T_i} \right)^2, \quad T_i = T - \sum_{j \le i} g_j'
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
