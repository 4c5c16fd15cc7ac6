/*
summary = "CombMNZ: sum of weight * score, times m^gamma, where m runs hold the document."
reads = "scores"
weighted = true
reference = "Fox & Shaw 1994, TREC-2; with gamma: Lee 1997, SIGIR"
*/
power(count(*), {{ gamma }}) * {{ total(weighted_value) }}
