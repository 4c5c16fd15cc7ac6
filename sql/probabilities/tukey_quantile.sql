/*
summary = "Quantile of the studentised range of m means: the q with P(Q >= q) = alpha. NULL unless 0 < alpha < 1, m >= 2 and df >= 1."
arguments = ["alpha", "m", "df"]
public = true
reference = "Tukey 1953, The Problem of Multiple Comparisons; by the Illinois method for ln p as a function of q (Dowell & Jarratt 1971, BIT 11)"
*/
{#- The result lies between q = 0, where p is 1, and the quantile by Bonferroni. `f_a` and `f_b` have opposite signs. -#}
{%- set bonferroni = t_quantile("(2 * " ~ alpha ~ " / (" ~ m ~ " * (" ~ m ~ " - 1)))", df) -%}
{%- set start = struct(a="0e0", f_a="-ln(" ~ alpha ~ ")", b="0e0", f_b="0e0", q="sqrt(2e0) * " ~ bonferroni, alpha=alpha, m=m, df=df) -%}
{%- set later = each(numbers_below("15"), "i", struct(a="0e0", f_a="0e0", b="0e0", f_b="0e0", q="0e0", alpha="0e0", m="0e0", df="0e0")) -%}
{%- set f = "ln(greatest(1e-300, " ~ tukey_p("r['q']", "r['m']", "r['df']") ~ ") / r['alpha'])" -%}
{#- Keep the end where ln p has the other sign. If that end stays, halve its value. -#}
{%- set enclosed = let("f", f, struct(
    a="case when f * r['f_b'] < 0 then r['b'] else r['a'] end",
    f_a="case when f * r['f_b'] < 0 then r['f_b'] when r['f_b'] = 0 then r['f_a'] else r['f_a'] / 2 end",
    b="r['q']", f_b="f", alpha="r['alpha']", m="r['m']", df="r['df']")) -%}
{%- set next = let("e", enclosed, struct(
    a="e['a']", f_a="e['f_a']", b="e['b']", f_b="e['f_b']",
    q="case when abs(e['f_b']) < 1e-13 then e['b'] else e['b'] - e['f_b'] * (e['b'] - e['a']) / (e['f_b'] - e['f_a']) end",
    alpha="e['alpha']", m="e['m']", df="e['df']")) -%}
case
    when {{ alpha }} > 0 and {{ alpha }} < 1 and {{ m }} >= 2 and {{ df }} >= 1
    then {{ fold_from_first(concatenation(array(start), later), "r", "n", next) }}['q']
end
