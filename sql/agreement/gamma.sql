/*
name = "Gamma"
aliases = ["GoodmanKruskal"]
summary = "Goodman and Kruskal's gamma of two rankings, over the documents in the top k of both. Pairs tied in either ranking do not count."
formula = "(C - D) / (C + D), C = concordant pairs, D = discordant pairs"
tex = '\frac{C - D}{C + D}'
range = "[-1, 1], NULL if no pair is untied in both"
parameters = ["k"]
row_source = "pairs"
empty = "null"
reference = "Goodman and Kruskal 1954, Measures of association for cross classifications"
*/
{{ concordant_minus_discordant(above_in_a(), above_in_a_then_b()) }}
/ nullif({{ pairs_untied_in_both(above_in_a(), above_in_a_then_b()) }}, 0)
