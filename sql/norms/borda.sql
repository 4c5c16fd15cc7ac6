/*
summary = "1 - (rank - 1) / N, where N is the number of documents of the query in all runs. A document that a run of n documents lacks gets 0.5 - (n - 1) / (2 N). Every run of the query then counts as containing it."
absent = "0.5e0 - (q.documents - 1e0) / (2 * p.documents)"
reference = "Renda & Straccia 2003, SAC"
*/
1 - (l.rank - 1e0) / p.documents
