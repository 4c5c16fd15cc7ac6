/*
name = "INSQ"
summary = "INSQ: the expected gain per viewed rank of a user who wants a total gain of T and continues more readily at deeper ranks."
formula = "(sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i ((i + 2T - 1) / (i + 2T))^2"
tex = '\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_1 = 1,\; V_{i+1} = V_i\, \left( \frac{i + 2T - 1}{i + 2T} \right)^2'
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
