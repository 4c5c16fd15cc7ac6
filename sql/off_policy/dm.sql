/*
summary = "Direct method: the mean of the rewards that a model expects."
formula = "mean of v_hat"
reads = ["v_hat"]
residual = "0e0"
base = "r.v_hat"
reference = "Beygelzimer & Langford 2009, KDD"
*/
1e0
