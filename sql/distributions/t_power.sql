/*
summary = "Power of the two-sided paired t test with n queries, effect size dz, and critical value t."
arguments = ["n", "dz", "t"]
reference = "Owen 1965, Biometrika 52: noncentral t distribution, as normal tail probabilities averaged over the standard deviation"
*/
{%- set nodes = let("g", "struct_pack(df := " ~ n ~ " - 1, shift := " ~ dz ~ " * sqrt(" ~ n ~ "), t := " ~ t ~ ")",
    "list_transform(" ~ chi_nodes("g['df']") ~ ", lambda c: struct_pack(weight := c['weight'], above := g['t'] * c['s'] - g['shift'], below := g['t'] * c['s'] + g['shift']))") -%}
{{ let("nodes", nodes, "list_sum(list_transform(
    list_concat(
        list_transform(nodes, lambda c: struct_pack(weight := c['weight'], z := c['above'])),
        list_transform(nodes, lambda c: struct_pack(weight := c['weight'], z := c['below']))
    ),
    lambda c: c['weight'] * " ~ normal_upper("c['z']") ~ "
)) / list_sum(list_transform(nodes, lambda c: c['weight']))") }}
