/*
name = "KendallDistance"
summary = "Share or number of document pairs that two rankings order differently, over the documents in the top k of both."
formula = "discordant pairs / (n (n - 1) / 2), or discordant pairs with scale = 'count'; n = |documents in both|"
tex = '\frac{D}{n (n - 1) / 2}'
range = "[0, 1] or a number of pairs, NULL if n < 2"
parameters = ["k", "scale"]
row_source = "pairs"
better = "lower"
empty = "null"
reference = "Kendall 1938, A new measure of rank correlation; Fagin, Kumar and Sivakumar 2003, Comparing top k lists"
*/
{{ num_discordant() }} / {{ choose(scale, {"share": "nullif(" ~ num_pairs() ~ ", 0)", "count": "(case when count(*) > 1 then 1e0 end)"}) }}
