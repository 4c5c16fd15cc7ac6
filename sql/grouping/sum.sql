/*
summary = "The sum of the scores of the chunks. Many chunks outweigh one good chunk."
formula = "sum of the scores"
reads = ["score"]
reference = "Dai & Callan 2019, SIGIR (SumP)"
*/
{{ sum_in_order("r.score") }}
