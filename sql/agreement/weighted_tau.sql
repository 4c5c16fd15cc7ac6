/*
name = "WeightedTau"
aliases = []
summary = "Kendall's tau-b with pairs weighted by rank, over the documents in the top k of both: what is high counts most."
formula = "tau-b of pairs that weigh w_x + w_y or w_x w_y, w = 1 / rank, averaged over the ranks in a and in b"
range = "[-1, 1], NULL if n < 2 or a ranking ties all documents"
parameters = ["k", "weights"]
row_source = "weighted_pairs"
empty = "null"
reference = "Vigna 2015, A weighted correlation index for rankings with ties; scipy.stats.weightedtau"
*/
{#- The weight of all pairs, or of those that tie in a ranking, when 1 / place is the weight of a document. -#}
{%- macro pairs(place, tied_in) -%}
{{ choose(weights, {
    "additive": "sum(" ~ weight_of_others("number", tied_in) ~ " / d." ~ place ~ ")",
    "multiplicative": "(sum(" ~ weight_of_others(place, tied_in) ~ " / d." ~ place ~ ") / 2)",
}) }}
{%- endmacro -%}
{%- macro discordant_pairs(place, weight) -%}
{{ choose(weights, {
    "additive": "sum(d." ~ weight ~ " + d.inversions / d." ~ place ~ ")",
    "multiplicative": "sum(d." ~ weight ~ " / d." ~ place ~ ")",
}) }}
{%- endmacro -%}
{%- macro tau(place, weight) -%}
({{ pairs(place, "none") }} - {{ pairs(place, "rank_a") }} - {{ pairs(place, "rank_b") }} + {{ pairs(place, "both") }} - 2 * {{ discordant_pairs(place, weight) }})
/ nullif(sqrt(({{ pairs(place, "none") }} - {{ pairs(place, "rank_a") }}) * ({{ pairs(place, "none") }} - {{ pairs(place, "rank_b") }})), 0)
{%- endmacro -%}
{{ if_both_vary("(" ~ tau("position_a", "weight_a") ~ " + " ~ tau("position_b", "weight_b") ~ ") / 2") }}
