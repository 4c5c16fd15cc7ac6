/*
name = "SomersD"
summary = "Somers' D of ranking b given ranking a, over the documents in the top k of both. Pairs tied in a do not count."
formula = "(C - D) / (pairs - pairs tied in a), C = concordant pairs, D = discordant pairs"
tex = '\frac{C - D}{n_0 - n_a}'
range = "[-1, 1], NULL if n < 2 or a ranking ties all documents"
parameters = ["k"]
row_source = "pairs"
empty = "null"
reference = "Somers 1962, A new asymmetric measure of association for ordinal variables; scipy.stats.somersd"
*/
{{ if_both_vary(concordant_minus_discordant(above_in_a(), above_in_a_then_b()) ~ " / " ~ untied_pairs(above_in_a())) }}
