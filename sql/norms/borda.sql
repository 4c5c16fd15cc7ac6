/*
summary = "1 - (rank - 1) / N, where N is the number of documents of the query in all runs. A document that a run of n documents lacks gets 0.5 - (n - 1) / (2 N). Every run of the query then counts as containing it."
absent = "0.5e0 - ({{ documents_of_run }} - 1e0) / (2 * {{ documents_of_query }})"
reference = "Renda & Straccia 2003, SAC"
*/
1 - ({{ rank }} - 1e0) / {{ documents_of_query }}
