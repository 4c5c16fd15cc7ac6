/*
name = "Calibration"
aliases = ["Miscalibration"]
summary = "Distance of the categories of the list from those of the user's history: 0 if both have the same shares. With divergence = 'kl', the shares of the list are smoothed: (1 - alpha) q + alpha p. NULL if no document of the list, or none of the user's history, has a category."
formula = "sum over categories of p ln(p / ((1 - alpha) q + alpha p)), p = share in the history, q = share in the list; or with divergence = 'js' the Jensen-Shannon divergence of p and q"
range = "[0, inf), lower is closer"
parameters = ["k", "alpha", "divergence"]
row_source = "list_categories"
needs = ["documents.category", "history"]
better = "lower"
empty = "null"
reference = "Steck 2018, Calibrated recommendations"
[defaults]
alpha = 0.01
[summaries]
alpha = "weight of the history in the smoothed shares of the list; with 0, the value is NULL if the list lacks a category of the history"
*/
{{ choose(divergence, {
    "kl": "case when count(d.listed) > 0 and count(d.known) > 0 and " ~ smallest_smoothed(alpha)
        ~ " > 0 then sum(case when d.known > 0 then d.known * ln(d.known / " ~ smoothed_share(alpha)
        ~ ") else 0e0 end) end",
    "js": jensen_shannon("d.listed", "d.known")
}) }}
