/*
name = "Personalization"
aliases = ["InterListDiversity"]
summary = "How different the lists of different queries are: 1 minus the mean share of documents that two lists have in common. NULL for fewer than two lists. The time grows with the number of documents, not with the number of pairs of lists."
formula = "1 - mean over pairs of lists of |common documents| / k"
range = "[0, 1]"
parameters = ["k"]
cutoff = "required"
row_source = "shown_documents"
empty = "null"
reference = "Zhou et al. 2010, Solving the apparent diversity-accuracy dilemma of recommender systems; evidently Personalization"
*/
1 - (sum(1e0 * d.shown * d.shown) - sum(1e0 * d.shown)) / nullif(1e0 * {{ k }} * max(d.lists) * (max(d.lists) - 1), 0)
