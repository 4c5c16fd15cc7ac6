/*
name = "BPM"
aliases = []
summary = "Bejeweled player model, static: the mean gain of the ranks that a reader looks at, who stops at a gain of T or after k of them."
formula = "(gain of ranks 1 to m) / m, m the first rank with a gain of T down to it, k at most"
range = "[0, 1]"
parameters = ["k", "T", "min_rel", "max_rel"]
cutoff = "required"
row_source = "ranks"
empty = 0
reference = "Zhang et al. 2017, Evaluating web search with a bejeweled player model; cwl_eval BPM-Static"
*/
{%- set continuation -%} case when r.gain_so_far < {{ T }} then 1e0 else 0e0 end {%- endset -%}
{{ expected_utility(view_probability("bpm", T, continuation=continuation), k) }}
