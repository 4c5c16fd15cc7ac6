/*
summary = "P(Q >= q) of the studentised range of m means: the p of Tukey's test of honestly significant differences. 1 for q <= 0. For q > 0, NULL unless m >= 2 and df > 0."
arguments = ["q", "m", "df"]
public = true
reference = "Tukey 1953, The Problem of Multiple Comparisons; computed by quadrature"
*/
{%- set grid = each(each(numbers_below(81), "i", "0.2e0 * i - 8"), "z",
    struct(z="z", upper=normal_upper("z"), density="0.2e0 * exp(-z * z / 2) / 2.5066282746310002e0")) -%}
{%- set nodes = each(chi_nodes(df), "c", struct(weight="c['weight']", z="g['z'] - " ~ q ~ " * c['s']")) -%}
{%- set integrand = "c['weight'] * power(greatest(0e0, " ~ normal_upper("c['z']") ~ " - g['upper']), " ~ m ~ " - 1)" -%}
case
    when {{ q }} <= 0 then 1e0
    when {{ q }} > 0 and {{ m }} >= 2 and {{ df }} > 0
        then greatest(0e0, 1 - {{ m }} * {{ sum_of(each(grid, "g", "g['density'] * " ~ sum_of(each(nodes, "c", integrand)))) }}
            / {{ sum_of(each(chi_nodes(df), "c", "c['weight']")) }})
end
