/*
name = "xinfAP"
summary = "Extended inferred average precision: AP estimated from judgments of a sample of each stratum of a pool. The column stratum (or subtopic) names the stratum of each document of the pool, and a document with a negative grade was not drawn. Ranks beyond 1,000 do not count."
formula = "(1 / R) sum over relevant documents of rank i <= 1000 of w (1 + sum over strata of n (f + e) / (m + 3 e)) / i; w = documents / judged documents of its stratum; R = sum of w of the relevant documents; above rank i there are n documents of a stratum, m judged and f relevant; e = 0.00001; with version = '2012' times R / 1000 if R > 1000"
tex = '\frac{1}{R} \sum_i \frac{w_i r_i}{i} \left( 1 + \sum_s n_s \frac{f_s + \epsilon}{m_s + 3 \epsilon} \right), \quad R = \sum_i w_i r_i, \quad \epsilon = 10^{-5}'
range = "[0, inf)"
parameters = ["rel", "version"]
row_source = "sampled"
reads = "judged"
empty = 0
reference = "Yilmaz, Kanoulas and Aslam 2008, A simple and efficient sampling method for estimating AP and NDCG; sample_eval.pl of NIST infAP"
*/
{%- set num_rel = inferred_num_rel(rel) -%}
sum(case when d.retrieved = 1 and {{ relevant(rel) }} then d.weight * (1 + {{ inferred_above() }}) / d.rank else 0e0 end)
/ nullif({{ choose(version, {"2012": "case when " ~ num_rel ~ " > 1000 then 1e3 else " ~ num_rel ~ " end", "2011": num_rel}) }}, 0)
