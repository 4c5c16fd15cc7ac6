/*
summary = "CombANZ: mean score over the runs that hold the document."
reads = "scores"
weighted = false
reference = "Fox & Shaw 1994, TREC-2"
*/
{{ total("d.value") }} / count(*)
