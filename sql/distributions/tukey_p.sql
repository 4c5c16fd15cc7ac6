/*
summary = "P(Q >= q) of the studentised range of m means: the p of Tukey's test of honestly significant differences."
arguments = ["q", "m", "df"]
public = true
reference = "Tukey 1953, The Problem of Multiple Comparisons; computed by quadrature"
*/
{%- set grid = "list_transform(list_transform(range(81), lambda i: 0.2e0 * i - 8), lambda z: struct_pack(z := z, upper := " ~ normal_upper("z") ~ ", density := 0.2e0 * exp(-z * z / 2) / 2.5066282746310002e0))" -%}
{%- set nodes = let("g", "struct_pack(df := " ~ df ~ ")", chi_nodes("g['df']")) -%}
case
    when {{ q }} <= 0 then 1e0
    when {{ q }} > 0 and {{ m }} >= 2 and {{ df }} > 0 then greatest(0e0, 1 - {{ let("nodes", nodes, "list_sum(list_transform(
        nodes,
        lambda c: c['weight'] * list_sum(list_transform(
            " ~ grid ~ ",
            lambda g: g['density'] * " ~ m ~ " * power(greatest(0e0, " ~ normal_upper("g['z'] - " ~ q ~ " * c['s']") ~ " - g['upper']), " ~ m ~ " - 1)
        ))
    )) / list_sum(list_transform(nodes, lambda c: c['weight']))") }})
end
