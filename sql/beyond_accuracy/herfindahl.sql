/*
name = "Herfindahl"
aliases = ["HHI"]
summary = "Herfindahl index of the documents that fill the lists: the probability that two places in lists, drawn at random with replacement, show the same document."
formula = "sum over documents of p^2, p = number of lists that show it / sum of these numbers"
range = "[0, 1], lower is more varied"
parameters = ["k"]
row_source = "shown_documents"
better = "lower"
empty = "null"
reference = "Herfindahl 1950, Concentration in the steel industry; Adomavicius and Kwon 2012, Improving aggregate recommendation diversity using ranking-based techniques"
*/
sum(1e0 * d.shown * d.shown) / nullif(sum(1e0 * d.shown) * sum(1e0 * d.shown), 0)
