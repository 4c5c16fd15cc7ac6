/*
name = "AverageOverlap"
aliases = ["AO"]
summary = "Mean over the depths d <= k of the share that two rankings have in common in the top d."
formula = "(1 / k) sum over d <= k of |top d of a and of b| / d"
range = "[0, 1], NULL if both are empty"
parameters = ["k"]
base = "lists"
empty = "null"
reference = "Fagin, Kumar and Sivakumar 2003, Comparing top k lists; Wu and Crestani 2003"
*/
{%- set depth = depth_of(k, last_rank()) -%}
sum(case when {{ in_both(none) }} then {{ reciprocals("d.lower_rank", depth) }} / {{ depth }} else 0e0 end)
