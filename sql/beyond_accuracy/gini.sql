/*
name = "Gini"
aliases = ["GiniIndex"]
summary = "Gini index of how often documents are shown: 0 if all are shown equally often, near 1 if few documents fill the lists. The documents are the catalogue in the table `documents`, or with universe = 'shown' those that are shown."
formula = "sum over j of (2 j - m - 1) x_j / (m sum of x), x_1 <= ... <= x_m = number of lists that show each document"
range = "[0, 1], lower is more equal"
parameters = ["k", "universe"]
row_source = "shown_documents"
needs = ["documents if universe = documents"]
better = "lower"
empty = "null"
reference = "Gini 1912, Variabilità e mutabilità; Castells, Hurley and Vargas 2015, Novelty and diversity in recommender systems; LensKit ListGini; RecBole GiniIndex"
*/
(2 * sum({{ if_in_universe(universe, "1e0 * d.shown * " ~ position_by_shown(universe)) }})
    - (sum({{ if_in_universe(universe, "1e0") }}) + 1) * sum({{ if_in_universe(universe, "1e0 * d.shown") }}))
/ nullif(sum({{ if_in_universe(universe, "1e0") }}) * sum({{ if_in_universe(universe, "1e0 * d.shown") }}), 0)
