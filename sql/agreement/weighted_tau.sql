/*
name = "WeightedTau"
summary = "Kendall's tau-b with top-weighted pairs, over the documents in the top k of both rankings."
formula = "mean of tau-b with w = 1 / position in a and tau-b with w = 1 / position in b; the weight of a pair is w_x + w_y or w_x w_y; documents tied in one ranking are ordered by the other"
tex = '\frac{\sum_{x < y} w_{xy}\, \mathrm{sgn}(a_x - a_y)\, \mathrm{sgn}(b_x - b_y)}{\sqrt{\sum_{x < y} w_{xy}\, [a_x \ne a_y] \cdot \sum_{x < y} w_{xy}\, [b_x \ne b_y]}}'
range = "[-1, 1], NULL if n < 2 or a ranking ties all documents"
parameters = ["k", "weights"]
row_source = "weighted_pairs"
empty = "null"
reference = "Vigna 2015, A weighted correlation index for rankings with ties; scipy.stats.weightedtau"
*/
{#- Sum the weights of all pairs, or of the pairs tied in a ranking; a document weighs 1 / position. -#}
{%- macro pairs(position, tied_in) -%}
{{ choose(weights, {
    "additive": "sum(" ~ weight_of_others("number", tied_in) ~ " / d." ~ position ~ ")",
    "multiplicative": "(sum(" ~ weight_of_others(position, tied_in) ~ " / d." ~ position ~ ") / 2)",
}) }}
{%- endmacro -%}
{#- Sum the weights of the discordant pairs. -#}
{%- macro discordant_pairs(position, weight) -%}
{{ choose(weights, {
    "additive": "sum(d." ~ weight ~ " + d.inversions / d." ~ position ~ ")",
    "multiplicative": "sum(d." ~ weight ~ " / d." ~ position ~ ")",
}) }}
{%- endmacro -%}
{#- Return weighted tau for the positions in one of the rankings. -#}
{%- macro tau(position, weight) -%}
({{ pairs(position, "none") }} - {{ pairs(position, "rank_a") }} - {{ pairs(position, "rank_b") }}
    + {{ pairs(position, "both") }} - 2 * {{ discordant_pairs(position, weight) }})
/ nullif(sqrt(({{ pairs(position, "none") }} - {{ pairs(position, "rank_a") }}) * ({{ pairs(position, "none") }} - {{ pairs(position, "rank_b") }})), 0)
{%- endmacro -%}
{{ if_both_vary("(" ~ tau("position_a", "weight_a") ~ " + " ~ tau("position_b", "weight_b") ~ ") / 2") }}
