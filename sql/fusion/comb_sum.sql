/*
summary = "CombSUM: sum of weight * score. With weights, this is the weighted sum."
reads = "scores"
weighted = true
reference = "Fox & Shaw 1994, TREC-2"
*/
{{ total(weighted_value) }}
