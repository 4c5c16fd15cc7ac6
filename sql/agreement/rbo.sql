/*
name = "RBO"
aliases = []
summary = "Rank-biased overlap: the agreement of the top d of two rankings, averaged over all depths d with weights that fall by p; what is high counts most, also where the rankings hold different documents and end."
formula = "((1 - p) / p) sum over depths d of A_d p^d, A_d = |top d of S and of L| / d; beyond the end of the shorter ranking S and of the longer one L: kind"
range = "[0, 1], NULL if both are empty or p is not between 0 and 1"
parameters = ["k", "p", "kind", "ties"]
row_source = "prefixes"
empty = "null"
reference = "Webber, Moffat and Zobel 2010, A similarity measure for indefinite rankings; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap"
[choices]
ties = ["w", "a", "b"]
[defaults]
ties = "w"
[summaries]
ties = "what equal ranks mean: 'w' documents at one place, 'a' an order that is not known (the mean over all), 'b' the same, corrected so that a ranking agrees fully with itself"
*/
{%- set seen_l = tie_share("l") -%}
{%- set overlap = choose(ties, {
    "w": "(d.whole + d.partly_s + d.partly_l + d.partly_both)",
    "a": expected_overlap(),
    "b": expected_overlap(),
}) -%}
{%- set size = choose(ties, {
    "w": "((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2)",
    "a": "d.depth",
    "b": "sqrt(" ~ sum_of_squared_shares("s") ~ " * " ~ sum_of_squared_shares("l") ~ ")",
}) -%}
{%- set beyond_s = "(d.depth - d.length_s)" -%}
{#- S may go on with documents that L holds: the share of one of them, as they come, or of all that it can be at most. -#}
{%- set mean = "((d.others + " ~ seen_l ~ " * d.others_partly) / (d.others + d.others_partly))" -%}
{%- set most = "(case when " ~ beyond_s ~ " <= d.others then " ~ beyond_s ~ " else d.others + " ~ seen_l ~ " * (" ~ beyond_s ~ " - d.others) end)" -%}
{%- set mean_of_others = choose(ties, {"w": "1e0", "a": mean, "b": mean}) -%}
{%- set most_of_others = choose(ties, {"w": beyond_s, "a": most, "b": most}) -%}
{%- set agreement_to_l = weighted_to_end_of_l(overlap ~ " / " ~ size, p) -%}
{%- set agreement_of_s = "coalesce(max(case when d.depth = d.length_s then " ~ overlap ~ " / " ~ size ~ " end), 0)" -%}
{%- set s, l = "max(d.length_s)", "max(d.length_l)" -%}
{%- set common = "max(d.whole)" -%}
{%- set rest -%} nullif(1e0 - {{ p }}, 0) {%- endset -%}
{%- set ext -%}
{{ agreement_to_l }}
    + {{ agreement_of_s }} * {{ weighted_to_end_of_l("case when d.depth > d.length_s then " ~ beyond_s ~ " * " ~ mean_of_others ~ " / " ~ size ~ " else 0e0 end", p) }}
    + ({{ common }} + ({{ l }} - {{ s }}) * {{ agreement_of_s }}) / {{ l }} * power({{ p }}, {{ l }} + 1) / {{ rest }}
{%- endset -%}
{%- set least -%}
{{ agreement_to_l }} - {{ common }} * (ln({{ rest }}) + {{ weighted_to_end_of_l("1 / d.depth", p) }})
{%- endset -%}
{%- set largest -%}
{{ weighted_to_end_of_l("(" ~ overlap ~ " + case when d.depth > d.length_s then " ~ most_of_others ~ " else 0e0 end) / " ~ size, p) }}
    + sum(case when d.depth > d.length_l and d.depth <= d.length_l + d.length_s - d.whole then (2 * d.depth - d.length_l - d.length_s + d.whole) / d.depth * power({{ p }}, d.depth) else 0e0 end)
    + power({{ p }}, {{ l }} + {{ s }} - {{ common }} + 1) / {{ rest }}
{%- endset -%}
(1e0 - {{ p }}) / nullif({{ p }}, 0) * ({{ choose(kind, {
    "ext": ext,
    "min": least,
    "max": largest,
    "res": "(" ~ largest ~ ") - (" ~ least ~ ")",
}) }})
