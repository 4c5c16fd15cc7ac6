/*
summary = "CombMIN: smallest score among the runs that hold the document."
reads = "scores"
weighted = false
reference = "Fox & Shaw 1994, TREC-2"
*/
min(d.value)
