/*
name = "infNumRelRet"
aliases = ["inum_rel_ret"]
summary = "Number of relevant documents retrieved, estimated from judgments of a sample of each stratum of a pool. The column stratum (or subtopic) names the stratum of each document of the pool, and a document with a negative grade was not drawn. Ranks beyond 1,000 do not count."
formula = "sum over strata of n (f + e) / (m + 3 e); n documents of the stratum were retrieved, m judged and f relevant; e = 0.00001"
tex = '\sum_s n_s \frac{f_s + \epsilon}{m_s + 3 \epsilon}, \quad \epsilon = 10^{-5}'
range = "[0, inf)"
parameters = ["rel"]
row_source = "sampled"
reads = "judged"
empty = 0
takes_empty = false
average = "sum"
reference = "Yilmaz, Kanoulas and Aslam 2008, A simple and efficient sampling method for estimating AP and NDCG; sample_eval.pl of NIST inum_rel_ret"
*/
sum(d.step)
