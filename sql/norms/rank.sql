/*
summary = "1 - (rank - 1) / n, where the run has n documents of the query."
reference = "Renda & Straccia 2003, SAC"
*/
1 - (l.rank - 1e0) / q.documents
