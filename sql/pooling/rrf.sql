/*
summary = "Documents with the largest reciprocal rank fusion score first."
formula = "sum over runs of 1 / (60 + rank)"
reference = "Cormack, Clarke & Buettcher 2009, SIGIR"
*/
sum(1e0 / (60e0 + r.rank))
