/*
summary = "Inverse square rank: number of runs that hold the document, times the sum of weight / rank^2."
reads = "ranks"
weighted = true
value = "1e0 / (l.rank * l.rank)"
reference = "Mourão, Martins & Magalhães 2015, Computerized Medical Imaging and Graphics 39"
*/
count(*) * {{ total(weighted_value) }}
