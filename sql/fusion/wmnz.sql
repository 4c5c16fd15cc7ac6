/*
summary = "Weighted MNZ: sum of the scores, times the sum of the weights of the runs that hold the document."
reads = "scores"
weighted = true
reference = "Wu & Crestani 2002, CIKM"
*/
{{ total("d.value") }} * {{ total(weight) }}
