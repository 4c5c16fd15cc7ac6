/*
name = "StFullRecall"
summary = "1 if the top k covers every subtopic, else 0. Name the alternative documents of a piece of evidence as one subtopic: any of them is enough."
formula = "1 if each subtopic has a document with rank <= k, else 0"
tex = '\left[ S_1 \cup \dots \cup S_k = S \right], \quad S_i = \text{subtopics of the document at rank } i'
range = "0 or 1"
parameters = ["k", "rel"]
row_source = "coverage"
empty = 0
reference = "AutoRAG-Research full_recall with groups of evidence"
*/
case when count(distinct case when {{ in_top(k) }} then d.subtopic end) = {{ num_subtopics() }} then 1e0 else 0e0 end
