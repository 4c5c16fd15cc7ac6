/*
summary = "Doubly robust for lists that are read from the top: the model's expectation at each rank, corrected by its weighted error."
formula = "mean over queries of the sum over ranks of w * (reward - q_hat) + (w of the rank above, 1 at the first rank) * v_hat, where w = min(target / propensity, clip)"
reads = ["rank", "reward", "propensity_cascade", "target_cascade", "q_hat", "v_hat"]
residual = "(r.reward - r.q_hat)"
base = "r.weight_above * r.v_hat"
slate = true
scope = "_cascade"
reference = "Kiyohara et al. 2022, WSDM"
*/
{{ clipped_weight(clip) }}
