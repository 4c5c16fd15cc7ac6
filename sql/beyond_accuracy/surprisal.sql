/*
name = "Surprisal"
summary = "Novelty as a share of the largest possible: a document that at most one user knows has the value 1. Places that a short list leaves empty count as 0. NULL if the history has fewer than two users."
formula = "sum over the list of log2(U / u) / log2(U), divided by k; u = 1 for a document without history"
range = "[0, 1]"
parameters = ["k"]
cutoff = "required"
row_source = "list_audiences"
needs = ["history"]
empty = "null"
reference = "RePlay Surprisal"
*/
case
    when max(d.all_users) > 1
    then sum(case when {{ in_top(k) }} then log2(1e0 * d.all_users / coalesce(d.users, 1)) else 0e0 end) / log2(max(d.all_users)) / {{ k }}
end
