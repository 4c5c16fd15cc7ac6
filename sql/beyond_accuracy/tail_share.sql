/*
name = "TailShare"
aliases = ["APLT", "TailPercentage"]
summary = "Share of the list that belongs to the long tail. The long tail is the catalogue without its most popular documents, which make up a share of 1 - tail of the catalogue. Ties of popularity are ordered by doc_id. A document outside the catalogue is not in the tail."
formula = "|documents of the tail in the top k| / |documents in the top k|"
range = "[0, 1]"
parameters = ["k", "tail", "popularity"]
row_source = "list_popularity"
needs = ["documents", "history if popularity = history", "documents.popularity if popularity = documents"]
empty = "null"
reference = "Abdollahpouri, Burke and Mobasher 2017, Controlling popularity bias in learning-to-rank recommendation; RecBole TailPercentage"
*/
avg(case when {{ in_top(k) }} then case when d.position > (1 - {{ tail }}) * d.documents + 1e-9 then 1e0 else 0e0 end end)
