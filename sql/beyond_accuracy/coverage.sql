/*
name = "Coverage"
aliases = ["CatalogCoverage", "ItemCoverage"]
summary = "Share of the catalogue that the lists show. The catalogue is the table `documents`. A document that is not in it does not count, unless outside = 'count'."
formula = "|documents of the catalogue in a top k| / |catalogue|"
range = "[0, 1]; [0, inf) with outside = 'count'"
parameters = ["k", "outside"]
row_source = "shown_documents"
needs = ["documents"]
empty = "null"
reference = "Ge, Delgado-Battenfeld and Jannach 2010, Beyond accuracy: evaluating recommender systems by coverage and serendipity; RePlay Coverage; RecTools CatalogCoverage"
*/
sum(case when {{ choose(outside, {"skip": "d.in_catalogue", "count": "true"}) }} and d.shown > 0 then 1e0 else 0e0 end)
/ nullif(sum(case when d.in_catalogue then 1e0 else 0e0 end), 0)
