/*
summary = "Power of the two-sided paired t test with n queries, effect size dz, and critical value t."
arguments = ["n", "dz", "t"]
reference = "Owen 1965, Biometrika 52: noncentral t distribution, as normal tail probabilities averaged over the standard deviation"
*/
{%- set nodes = let("g", struct(df=n ~ " - 1", shift=dz ~ " * sqrt(" ~ n ~ ")", t=t),
    each(chi_nodes("g['df']"), "c", struct(weight="c['weight']", above="g['t'] * c['s'] - g['shift']", below="g['t'] * c['s'] + g['shift']"))) -%}
{%- set tails = concatenation(
    each("nodes", "c", struct(weight="c['weight']", z="c['above']")),
    each("nodes", "c", struct(weight="c['weight']", z="c['below']"))
) -%}
{{ let("nodes", nodes, sum_of(each(tails, "c", "c['weight'] * " ~ normal_upper("c['z']"))) ~ " / " ~ sum_of(each("nodes", "c", "c['weight']"))) }}
