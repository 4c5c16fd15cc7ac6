/*
name = "StRecall"
aliases = ["strec", "S-recall", "subtopic_recall"]
summary = "Subtopic recall: the share of subtopics that the top k covers."
formula = "|subtopics of documents in the top k| / |subtopics|"
tex = '\frac{|S_1 \cup \dots \cup S_k|}{|S|}, \quad S_i = \text{subtopics of the document at rank } i'
range = "[0, 1]"
parameters = ["k", "rel"]
row_source = "coverage"
empty = 0
reference = "Zhai, Cohen and Lafferty 2003, Beyond independent relevance; ndeval strec"
*/
count(distinct case when {{ in_top(k) }} then d.subtopic end) * 1e0 / {{ num_subtopics() }}
