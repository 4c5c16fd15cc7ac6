/*
summary = "DR with optimistically shrunk weights."
formula = "mean of v_hat + s * w / (w^2 + s) * (reward - q_hat), where w = target / propensity and s is the shrinkage"
reads = ["reward", "propensity", "target", "q_hat", "v_hat"]
residual = "(r.reward - r.q_hat)"
base = "r.v_hat"
needs = ["shrinkage"]
reference = "Su et al. 2020, ICML"
*/
case when r.ratio = 0 then 0e0 else {{ shrinkage }} * r.ratio / (r.ratio * r.ratio + {{ shrinkage }}) end
