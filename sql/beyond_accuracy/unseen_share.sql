/*
name = "UnseenShare"
summary = "Share of the list that the user does not know from the history. All documents are new to a user without history."
formula = "|documents in the top k that are not in the history of the query| / |documents in the top k|"
range = "[0, 1]"
parameters = ["k"]
row_source = "list_history"
needs = ["history"]
empty = "null"
reference = "RePlay Novelty, which gives 1 to a user without a list"
*/
avg(case when {{ in_top(k) }} then 1 - d.seen end)
