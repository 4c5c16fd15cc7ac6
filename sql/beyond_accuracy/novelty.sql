/*
name = "Novelty"
aliases = ["MIUF", "MeanInvUserFreq"]
summary = "Mean self-information of the documents in the top k: the fewer users know a document, the more novel it is. The lists of users without history also count."
formula = "mean over the list of -log2(u / U), u = users who know the document, U = users of the history; or rows of the history"
range = "[0, inf)"
parameters = ["k", "cold", "frequency"]
row_source = "list_audiences"
needs = ["history"]
empty = "null"
reference = "Zhou et al. 2010, Solving the apparent diversity-accuracy dilemma of recommender systems; Castells, Hurley and Vargas 2015, Novelty and diversity in recommender systems; RecTools MeanInvUserFreq"
*/
{%- set known = choose(frequency, {"users": "d.users", "rows": "d.rows"}) -%}
{%- set everything = choose(frequency, {"users": "d.all_users", "rows": "d.all_rows"}) -%}
{%- set known_or_cold = choose(cold, {"one": "coalesce(" ~ known ~ ", 1)", "skip": known, "zero": "coalesce(" ~ known ~ ", " ~ everything ~ ")"}) -%}
avg(case when {{ in_top(k) }} then log2(1e0 * nullif({{ everything }}, 0) / {{ known_or_cold }}) end)
