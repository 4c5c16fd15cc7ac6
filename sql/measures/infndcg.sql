/*
name = "infNDCG"
summary = "Inferred nDCG: nDCG estimated from judgments of a sample of each stratum of a pool. The column stratum (or subtopic) names the stratum of each document of the pool, and a document with a negative grade was not drawn. Ranks beyond 1,000 do not count."
formula = "(sum over strata of n / m * sum over documents of rank i of grade / log2(i + 1)) / ideal; n = retrieved documents of the stratum, m = judged ones of these; ideal = DCG of the inferred number of documents of each grade, 1,000 positions and one more for each lower grade"
tex = '\frac{1}{\mathrm{ideal}} \sum_s \frac{n_s}{m_s} \sum_{i \in s} \frac{g_i}{\log_2(i + 1)}'
range = "[0, inf)"
parameters = ["version"]
row_source = "sampled"
reads = "judged"
empty = 0
reference = "Yilmaz, Kanoulas and Aslam 2008, A simple and efficient sampling method for estimating AP and NDCG; sample_eval.pl of NIST infNDCG"
*/
sum(case when d.retrieved = 1 and d.relevance > 0 then d.documents / d.drawn * d.relevance / log2(d.rank + 1) else 0e0 end)
/ nullif(max(d.ideal), 0)
