/*
name = "RBPResid"
summary = "Residual of RBP: the increase if all unjudged documents were relevant, including those beyond the last rank. It is 0 if every retrieved document is judged."
formula = "(1 - p) (sum over ranks i <= n without a grade >= 0 of p^(i - 1)) + p^n, n = |retrieved|; 0 if there is no such rank"
tex = 'p^n + (1 - p) \sum_{i \le n,\; \text{not judged}} p^{i - 1}'
range = "[0, 1]"
parameters = ["p"]
reads = "counted"
empty = 0
takes_empty = false
reference = "Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness; trec_eval rbp_resid"
*/
case
    when sum(case when {{ in_top(none) }} and {{ graded() }} then 1e0 else 0e0 end) < {{ num_ret(none) }}
    then 1 - (1 - {{ p }}) * sum(case when {{ in_top(none) }} and {{ graded() }} then {{ reach_probability(p) }} else 0e0 end)
    else 0e0
end
