/*
name = "BPM"
summary = "Static bejeweled player model: the mean gain of the ranks viewed by a user who stops at a total gain of T or after k ranks."
formula = "(gain of ranks 1 to m) / m, m = first rank with a total gain of at least T, or k if there is none"
tex = '\frac{1}{m} \sum_{i \le m} g_i, \quad m = \min\left(k, \min\left\{ j : \sum_{i \le j} g_i \ge T \right\}\right)'
range = "[0, 1]"
parameters = ["k", "T", "min_rel", "max_rel"]
cutoff = "required"
row_source = "ranks"
empty = 0
reference = "Zhang et al. 2017, Evaluating web search with a bejeweled player model; cwl_eval BPM-Static"
*/
{%- set continuation -%} case when r.gain_so_far < {{ T }} then 1e0 else 0e0 end {%- endset -%}
{{ expected_utility(view_probability("bpm", T, continuation=continuation), k) }}
