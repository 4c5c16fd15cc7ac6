/*
name = "FaginK"
aliases = []
summary = "Kendall's distance of two top-k lists, over the documents in the top k of either: a list has what it lacks after all others, tied; a pair tied in one list alone counts p."
formula = "discordant pairs + p |pairs tied in one list and not in the other|"
range = "[0, n (n - 1) / 2], n documents; k^2 + p k (k - 1) for two disjoint lists of k"
parameters = ["k", "p"]
row_source = "all_pairs"
empty = "null"
reference = "Fagin, Kumar and Sivakumar 2003, Comparing top k lists; Fagin, Kumar, Mahdian, Sivakumar and Vee 2006, Comparing partial rankings"
[defaults]
p = 0.5
[summaries]
p = "penalty for a pair that one of the lists leaves open: 0 is optimistic, 0.5 neutral"
*/
{{ num_discordant() }} + {{ p }} * (2 * {{ untied_pairs(above_in_a_then_b()) }} - {{ untied_pairs(above_in_a()) }} - {{ untied_pairs("d.above_b") }})
