/*
summary = "The reciprocal rank of the first chunk: documents in the order of their first chunks."
formula = "1 / smallest rank"
reference = "Callan 1994, SIGIR, for the best passage of a document"
*/
1e0 / min(r.rank)
