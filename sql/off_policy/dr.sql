/*
summary = "Doubly robust: the direct method, corrected by the weighted errors of the model."
formula = "mean of v_hat + min(w, clip) * (reward - q_hat), where w = target / propensity"
reads = ["reward", "propensity", "target", "q_hat", "v_hat"]
residual = "(r.reward - r.q_hat)"
base = "r.v_hat"
reference = "Dudik, Langford & Li 2011, ICML"
*/
{{ clipped_weight(clip) }}
