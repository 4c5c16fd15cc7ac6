/*
summary = "1 - (rank - 1) / n, where the run has n documents of the query."
reference = "Renda & Straccia 2003, SAC"
*/
1 - ({{ rank }} - 1e0) / {{ documents_of_run }}
