/*
name = "CategoricalDiversity"
summary = "Number of categories in the top k, divided by k. A document may have several categories."
formula = "|categories of the documents in the top k| / k"
range = "[0, inf), [0, 1] if each document has one category"
parameters = ["k"]
cutoff = "required"
row_source = "list_categories"
needs = ["documents.category"]
empty = 0
reference = "RePlay CategoricalDiversity"
*/
sum(case when d.documents > 0 then 1e0 else 0e0 end) / {{ k }}
