/*
name = "Bpref"
summary = "Binary preference: penalises judged nonrelevant documents ranked above relevant ones; unjudged documents are ignored."
formula = "(1 / R) sum over relevant retrieved documents of 1 - min(|nonrelevant above|, R) / min(N, R), R = |relevant|, N = |judged nonrelevant|; each term is 1 if N = 0"
tex = '\frac{1}{R} \sum_{d\,\text{relevant}} \left( 1 - \frac{\min(|\text{nonrelevant above } d|, R)}{\min(N, R)} \right)'
range = "[0, 1]"
parameters = ["rel"]
reads = "judged"
empty = 0
discount = 'null'
reference = "Buckley and Voorhees 2004, Retrieval evaluation with incomplete information; trec_eval bpref"
*/
sum(case when {{ in_top(none) }} and {{ relevant(rel) }} then 1
    - coalesce({{ smaller(nonrelevant_so_far(rel), relevant_of_query(rel)) }} / nullif({{ smaller(nonrelevant_of_query(rel), relevant_of_query(rel)) }}, 0), 0)
    else 0e0 end)
/ nullif({{ num_rel(rel) }}, 0)
