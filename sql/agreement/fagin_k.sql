/*
name = "FaginK"
summary = "Kendall distance of two top-k lists, over the documents in the top k of either. Documents that a list lacks tie at its end; a pair tied in only one list counts p."
formula = "discordant pairs + p |pairs tied in only one list|"
tex = '|\text{discordant pairs}| + p\, |\text{pairs tied in only one list}|'
range = "[0, n (n - 1) / 2] for n documents; k^2 + p k (k - 1) for two disjoint lists of k"
parameters = ["k", "p"]
row_source = "all_pairs"
better = "lower"
empty = "null"
reference = "Fagin, Kumar and Sivakumar 2003, Comparing top k lists; Fagin, Kumar, Mahdian, Sivakumar and Vee 2006, Comparing partial rankings"
[defaults]
p = 0.5
[summaries]
p = "penalty for a pair that is tied in only one list: 0 is optimistic, 0.5 neutral"
*/
{{ num_discordant() }} + {{ p }} * (2 * {{ untied_pairs(above_in_a_then_b()) }} - {{ untied_pairs(above_in_a()) }} - {{ untied_pairs("d.above_b") }})
