/*
name = "ILD"
aliases = ["IntraListDiversity"]
summary = "Intra-list diversity: the mean distance of two documents in the top k, 1 minus the cosine of their vectors. With features = 'category', a vector has a 1 for each category of the document. Two documents with one category each then have the distance 0 or 1. Documents without features are left out."
formula = "mean over pairs of documents in the top k of 1 - cos(v_a, v_b)"
range = "[0, 2]"
parameters = ["k", "features", "empty"]
row_source = "list_features"
needs = ["documents.category if features = category", "documents.vector if features = vector"]
empty = 0
reference = "Ziegler et al. 2005, Improving recommendation lists through topic diversification; Castells, Hurley and Vargas 2015, Novelty and diversity in recommender systems; RecTools IntraListDiversity"
[choices]
empty = ["0", "skip"]
[summaries]
empty = "value of a list with fewer than two documents that have features; 'skip' returns NULL and leaves the list out of the mean"
*/
1 - (sum(d.total * d.total) - max(d.documents)) / nullif(1e0 * max(d.documents) * (max(d.documents) - 1), 0)
