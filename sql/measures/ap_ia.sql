/*
name = "AP_IA"
aliases = ["AP-IA", "MAP_IA", "MAP-IA"]
summary = "Intent-aware average precision: AP for each subtopic, averaged over the subtopics."
formula = "(1 / |subtopics|) sum over subtopics s of AP@k with the documents that cover s as relevant"
tex = '\frac{1}{|S|} \sum_{s \in S} \mathrm{AP}_s@k'
range = "[0, 1]"
parameters = ["k", "rel"]
row_source = "coverage"
empty = 0
reference = "Agrawal et al. 2009, Diversifying search results; ndeval MAP-IA"
*/
sum(case when {{ in_top(k) }} then ({{ times_covered_above() }} + 1) / d.rank / {{ documents_of_subtopic() }} else 0e0 end)
/ {{ num_subtopics() }}
