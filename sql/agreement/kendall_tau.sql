/*
name = "KendallTau"
aliases = []
summary = "Kendall's tau of two rankings, over the documents in the top k of both: tau-b by default."
formula = "variant a: (C - D) / pairs, b: (C - D) / sqrt((pairs - pairs tied in a) (pairs - pairs tied in b)), c: (C - D) / (n^2 (m - 1) / (2 m)); C concordant, D discordant pairs, m the smaller number of distinct ranks"
range = "[-1, 1], NULL if n < 2 or, for b and c, a ranking ties all documents"
parameters = ["k", "variant"]
base = "pairs"
empty = "null"
reference = "Kendall 1945, The treatment of ties in ranking problems; Stuart 1953; scipy.stats.kendalltau"
[summaries]
variant = "how ties count: 'a' only in the number of pairs, 'b' in both rankings, 'c' by the number of distinct ranks"
*/
{%- set levels_a, levels_b = num_levels(tied_in_a()), num_levels(tied_in_b()) -%}
{{ concordant_surplus(tied_in_a(), tied_in_b(), tied_in_both()) }}
/ nullif({{ choose(variant, {
    "a": num_pairs(),
    "b": "sqrt(" ~ not_tied_in(tied_in_a()) ~ " * " ~ not_tied_in(tied_in_b()) ~ ")",
    "c": "(power(count(*), 2) / 2 * (1 - 1e0 / (" ~ smaller(levels_a, levels_b) ~ ")))",
}) }}, 0)
