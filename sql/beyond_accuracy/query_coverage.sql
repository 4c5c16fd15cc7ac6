/*
name = "QueryCoverage"
aliases = ["UserCoverage"]
summary = "Share of the queries in qrels, or of the users in history, that have a list with at least `least` documents in its top k."
formula = "|queries with at least `least` documents in the top k| / |queries|"
range = "[0, 1]"
parameters = ["k", "least", "queries"]
row_source = "listed_queries"
needs = ["qrels if queries = qrels", "history if queries = history"]
empty = "null"
reference = "Ge, Delgado-Battenfeld and Jannach 2010, Beyond accuracy: evaluating recommender systems by coverage and serendipity; RecTools CoveredUsers"
*/
sum(case when d.documents >= {{ least }} then 1e0 else 0e0 end) / count(*)
