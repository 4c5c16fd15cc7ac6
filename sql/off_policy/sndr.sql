/*
summary = "Self-normalised DR: the weights of the errors are divided by their mean."
formula = "mean of v_hat + sum of w * (reward - q_hat) / sum of w, where w = min(target / propensity, clip)"
reads = ["reward", "propensity", "target", "q_hat", "v_hat"]
residual = "(r.reward - r.q_hat)"
base = "r.v_hat"
self_normalised = true
reference = "Kallus & Uehara 2019, NeurIPS"
*/
{{ clipped_weight(clip) }}
