/*
name = "AvgPopularity"
aliases = ["ARP", "AveragePopularity", "AvgRecPopularity"]
summary = "Mean popularity of the documents in the top k. A document without popularity data has the popularity 0."
formula = "mean over the list of the popularity of the document"
range = "[0, inf), lower is less popular"
parameters = ["k", "popularity"]
row_source = "list_popularity"
needs = ["history if popularity = history", "documents.popularity if popularity = documents"]
better = "lower"
empty = "null"
reference = "Yin et al. 2012, Challenging the long tail recommendation; RecTools AvgRecPopularity; RecBole AveragePopularity"
*/
avg(case when {{ in_top(k) }} then d.popularity end)
