/*
summary = "The score of the best chunk."
formula = "max of the scores"
reads = ["score"]
reference = "Dai & Callan 2019, SIGIR (MaxP)"
*/
max(r.score)
