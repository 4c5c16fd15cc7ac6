/*
summary = "CombMAX: largest score among the runs that hold the document."
reads = "scores"
weighted = false
reference = "Fox & Shaw 1994, TREC-2"
*/
max(d.value)
