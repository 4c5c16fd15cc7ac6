/*
name = "KendallTau"
summary = "Kendall's tau of two rankings, over the documents in the top k of both. The default is tau-b."
formula = "variant a: (C - D) / pairs; b: (C - D) / sqrt((pairs - pairs tied in a) (pairs - pairs tied in b)); c: (C - D) / (n^2 (m - 1) / (2 m)); C = concordant pairs, D = discordant pairs, m = smaller number of distinct ranks"
tex = '\tau_b = \frac{C - D}{\sqrt{(n_0 - n_a)(n_0 - n_b)}}, \quad n_0 = \frac{n (n - 1)}{2}'
range = "[-1, 1], NULL if n < 2 or, for b and c, a ranking ties all documents"
parameters = ["k", "variant"]
row_source = "pairs"
empty = "null"
reference = "Kendall 1945, The treatment of ties in ranking problems; Stuart 1953; scipy.stats.kendalltau"
[summaries]
variant = "correction for ties: 'a' none, 'b' for ties in each ranking, 'c' for the number of distinct ranks"
*/
{%- set num_levels = smaller("count(distinct " ~ above_in_a() ~ ")", "count(distinct d.above_b)") -%}
{{ concordant_minus_discordant(above_in_a(), above_in_a_then_b()) }}
/ nullif({{ choose(variant, {
    "a": num_pairs(),
    "b": "sqrt(" ~ untied_pairs(above_in_a()) ~ " * " ~ untied_pairs("d.above_b") ~ ")",
    "c": "(power(count(*), 2) / 2 * (1 - 1e0 / (" ~ num_levels ~ ")))",
}) }}, 0)
