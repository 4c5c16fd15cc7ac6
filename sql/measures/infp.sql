/*
name = "infP"
aliases = ["iP"]
summary = "Inferred precision: the number of relevant documents in the top k, estimated from judgments of a sample of each stratum of a pool, divided by k. The column stratum (or subtopic) names the stratum of each document of the pool, and a document with a negative grade was not drawn."
formula = "(1 / k) sum over strata of n (f + e) / (m + 3 e); the top k has n documents of a stratum, m judged and f relevant; e = 0.00001"
tex = '\frac{1}{k} \sum_s n_s \frac{f_s + \epsilon}{m_s + 3 \epsilon}, \quad \epsilon = 10^{-5}'
range = "[0, 1]"
parameters = ["k", "rel"]
cutoff = "required"
row_source = "sampled"
reads = "judged"
empty = 0
takes_empty = false
reference = "Yilmaz, Kanoulas and Aslam 2008, A simple and efficient sampling method for estimating AP and NDCG; sample_eval.pl of NIST iP"
*/
sum(case when {{ in_top(k) }} then d.step else 0e0 end) / {{ k }}
