/*
summary = "Reward-interaction IPS: each reward weighted by target / propensity of the list down to its rank, divided by the mean weight of the rank."
formula = "mean over queries of the sum over ranks of (w / mean w of the rank) * reward, where w = min(target / propensity, clip)"
reads = ["rank", "reward", "propensity_cascade", "target_cascade"]
self_normalised = true
slate = true
scope = "_cascade"
reference = "McInerney et al. 2020, KDD"
*/
{{ clipped_weight(clip) }}
