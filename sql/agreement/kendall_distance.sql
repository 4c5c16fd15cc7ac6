/*
name = "KendallDistance"
aliases = []
summary = "The document pairs that two rankings order differently, over the documents in the top k of both: their share, or their number."
formula = "discordant pairs / (n (n - 1) / 2)"
range = "[0, 1] or a number of pairs, NULL if n < 2"
parameters = ["k", "scale"]
row_source = "pairs"
empty = "null"
reference = "Kendall 1938, A new measure of rank correlation; Fagin, Kumar and Sivakumar 2003, Comparing top k lists"
*/
{{ num_discordant() }} / {{ choose(scale, {"share": "nullif(" ~ num_pairs() ~ ", 0)", "count": "(case when count(*) > 1 then 1e0 end)"}) }}
