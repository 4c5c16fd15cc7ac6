/*
name = "Compat"
summary = "Compatibility: the rank-biased overlap of the ranking with its ideal, as a share of the largest possible value."
formula = "RBO(ranking, ideal) / RBO(ideal, ideal), RBO = (sum over d <= depth of p^(d - 1) overlap_d / d) / (sum over d <= depth of p^(d - 1)), overlap_d = |in both top d|"
tex = '\frac{\mathrm{RBO}(\text{ranking}, \text{ideal})}{\mathrm{RBO}(\text{ideal}, \text{ideal})}, \quad \mathrm{RBO} = \frac{\sum_{d} p^{d-1}\, \mathit{overlap}_d / d}{\sum_{d} p^{d-1}}'
range = "[0, 1]"
parameters = ["p", "depth", "normalize"]
row_source = "depths"
reads = "all"
empty = 0
reference = "Clarke et al. 2021, Assessing top-k preferences; ir_measures Compat; the authors' program (depth = 1000)"
[defaults]
p = 0.95
*/
{{ weighted_by_depth("d.overlap / d.depth", p) }}
/ {{ if_normalized(normalize, weighted_by_depth("d.ideal_overlap / d.depth", p), weighted_by_depth("1e0", p)) }}
