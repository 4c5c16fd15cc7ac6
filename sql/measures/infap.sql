/*
name = "infAP"
summary = "Inferred average precision: AP estimated from a sample of judgments."
formula = "(1 / |relevant|) sum over relevant documents of rank i of (1 + (a + b + p) (a + e) / (a + b + 2 e)) / i; above rank i there are a relevant, b nonrelevant and p negatively graded documents; e = 0.00001"
tex = '\frac{1}{R} \sum_i \frac{r_i}{i} \left( 1 + (a + b + p)\, \frac{a + \epsilon}{a + b + 2 \epsilon} \right), \quad \epsilon = 10^{-5}'
range = "[0, 1]"
parameters = ["rel"]
reads = "judged"
empty = 0
discount = 'null'
reference = "Yilmaz and Aslam 2006, Estimating average precision with incomplete and imperfect judgments; trec_eval infAP"
*/
sum(case
    when {{ in_top(none) }} and {{ relevant(rel) }}
    then (1 + ({{ judged_so_far() }} - 1) * ({{ relevant_so_far(rel) }} - 1 + 1e-5) / ({{ relevant_so_far(rel) }} - 1 + {{ nonrelevant_so_far(rel) }} + 2e-5))
        / d.rank
    else 0e0
end)
/ nullif({{ num_rel(rel) }}, 0)
