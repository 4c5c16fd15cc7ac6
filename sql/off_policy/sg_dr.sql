/*
summary = "DR with the weights of sg_ips."
formula = "mean of v_hat + w / (1 - s + s * w) * (reward - q_hat), where w = target / propensity and s is the shrinkage"
reads = ["reward", "propensity", "target", "q_hat", "v_hat"]
residual = "(r.reward - r.q_hat)"
base = "r.v_hat"
needs = ["shrinkage"]
reference = "Metelli, Russo & Restelli 2021, NeurIPS"
*/
{{ subgaussian_weight(shrinkage) }}
