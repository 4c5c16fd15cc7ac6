/*
summary = "DR that uses the model alone where the weight is above clip."
formula = "mean of v_hat + w * (reward - q_hat), without the second term where w = target / propensity exceeds clip"
reads = ["reward", "propensity", "target", "q_hat", "v_hat"]
residual = "(r.reward - r.q_hat)"
base = "r.v_hat"
needs = ["clip"]
reference = "Wang, Agarwal & Dudik 2017, ICML"
*/
case when r.ratio <= {{ clip }} then r.ratio else 0e0 end
