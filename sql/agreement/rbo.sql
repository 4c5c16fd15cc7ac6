/*
name = "RBO"
summary = "Rank-biased overlap: the agreement of the top d of two rankings, averaged over all depths d with weights that decrease as p^d. The rankings may differ in documents and length."
formula = "((1 - p) / p) sum over depths d of A_d p^d, A_d = |in both top d| / d; kind sets A_d beyond the end of the shorter ranking s and of the longer ranking l"
tex = '\frac{1 - p}{p} \sum_{d \ge 1} \frac{|A_d \cap B_d|}{d}\, p^d'
range = "[0, 1], NULL if both are empty, or if p is 0 or 1"
parameters = ["k", "p", "kind", "ties"]
row_source = "prefixes"
empty = "null"
reference = "Webber, Moffat and Zobel 2010, A similarity measure for indefinite rankings; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap"
[choices]
ties = ["w", "a", "b"]
[defaults]
ties = "w"
[summaries]
ties = "treatment of ties: 'w' tied documents share one rank, 'a' averages over all their orders, 'b' corrects 'a' so that a ranking agrees fully with itself"
*/
{%- set share_l = tie_share("l") -%}
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
{#- Beyond its end, s may continue with documents that only l has. `mean` is their mean share, `most` their largest possible
    sum of shares. -#}
{%- set mean = "((d.others + " ~ share_l ~ " * d.others_partly) / (d.others + d.others_partly))" -%}
{%- set most = "(case when " ~ beyond_s ~ " <= d.others then " ~ beyond_s ~ " else d.others + " ~ share_l ~ " * (" ~ beyond_s ~ " - d.others) end)" -%}
{%- set mean_of_others = choose(ties, {"w": "1e0", "a": mean, "b": mean}) -%}
{%- set most_of_others = choose(ties, {"w": beyond_s, "a": most, "b": most}) -%}
{%- set agreement_to_l = weighted_to_end_of_l(overlap ~ " / " ~ size, p) -%}
{%- set agreement_of_s = "coalesce(max(case when d.depth = d.length_s then " ~ overlap ~ " / " ~ size ~ " end), 0)" -%}
{%- set s, l = "max(d.length_s)", "max(d.length_l)" -%}
{%- set common = "max(d.whole)" -%}
{%- set rest -%} nullif(1e0 - {{ p }}, 0) {%- endset -%}
{%- set ext -%}
{{ agreement_to_l }}
    + {{ agreement_of_s }}
        * {{ weighted_to_end_of_l("case when d.depth > d.length_s then " ~ beyond_s ~ " * " ~ mean_of_others ~ " / " ~ size ~ " else 0e0 end", p) }}
    + ({{ common }} + ({{ l }} - {{ s }}) * {{ agreement_of_s }}) / {{ l }} * power({{ p }}, {{ l }} + 1) / {{ rest }}
{%- endset -%}
{%- set least -%}
{{ agreement_to_l }} - {{ common }} * (ln({{ rest }}) + {{ weighted_to_end_of_l("1 / d.depth", p) }})
{%- endset -%}
{%- set largest -%}
{{ weighted_to_end_of_l("(" ~ overlap ~ " + case when d.depth > d.length_s then " ~ most_of_others ~ " else 0e0 end) / " ~ size, p) }}
    + sum(case when d.depth > d.length_l
        and d.depth <= d.length_l + d.length_s - d.whole then (2 * d.depth - d.length_l - d.length_s + d.whole) / d.depth * power({{ p }}, d.depth)
        else 0e0 end)
    + power({{ p }}, {{ l }} + {{ s }} - {{ common }} + 1) / {{ rest }}
{%- endset -%}
(1e0 - {{ p }}) / nullif({{ p }}, 0) * ({{ choose(kind, {
    "ext": ext,
    "min": least,
    "max": largest,
    "res": "(" ~ largest ~ ") - (" ~ least ~ ")",
}) }})
