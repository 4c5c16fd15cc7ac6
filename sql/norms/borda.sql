/*
summary = "1 - (rank - 1) / N, where the runs have N documents of the query. A document that a run lacks gets 0.5 - (n - 1) / (2 N), where the run has n; all runs of the query then count as holding it."
absent = "0.5e0 - ({{ documents_of_run }} - 1e0) / (2 * {{ documents_of_query }})"
reference = "Renda & Straccia 2003, SAC"
*/
1 - ({{ rank }} - 1e0) / {{ documents_of_query }}
