/*
name = "P_IA"
aliases = ["P-IA"]
summary = "Intent-aware precision: P for each subtopic, averaged over the subtopics."
formula = "(sum over ranks <= k of |subtopics of the document|) / (k |subtopics|)"
tex = '\frac{1}{k\, |S|} \sum_{i \le k} |S_i|, \quad S_i = \text{subtopics of the document at rank } i'
range = "[0, 1]"
parameters = ["k", "rel"]
cutoff = "required"
row_source = "coverage"
empty = 0
reference = "Agrawal et al. 2009, Diversifying search results; ndeval P-IA"
*/
sum(case when {{ in_top(k) }} then 1e0 else 0e0 end) / ({{ k }} * {{ num_subtopics() }})
