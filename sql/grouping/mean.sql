/*
summary = "The mean of the scores of the chunks that the run holds."
formula = "sum of the scores / number of chunks"
reads = ["score"]
reference = "PyTerrier, mean_passage"
*/
{{ sum_in_order("r.score") }} / count(*)
