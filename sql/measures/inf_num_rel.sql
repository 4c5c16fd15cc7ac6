/*
name = "infNumRel"
aliases = ["inum_rel"]
summary = "Number of relevant documents, estimated from judgments of a sample of each stratum of a pool. The column stratum (or subtopic) names the stratum of each document of the pool, and a document with a negative grade was not drawn."
formula = "R = sum over strata of f N / n; N documents of the stratum, n judged and f relevant"
tex = '\sum_s f_s \frac{N_s}{n_s}'
range = "[0, inf)"
parameters = ["rel"]
row_source = "sampled"
reads = "judged"
empty = 0
takes_empty = false
average = "sum"
reference = "Yilmaz, Kanoulas and Aslam 2008, A simple and efficient sampling method for estimating AP and NDCG; sample_eval.pl of NIST inum_rel"
*/
{{ inferred_num_rel(rel) }}
