/*
summary = "Reward-interaction IPS: each reward weighted by target / propensity of the list down to its rank."
formula = "mean over queries of the sum over ranks of min(w, clip) * reward, where w = target / propensity"
reads = ["rank", "reward", "propensity_cascade", "target_cascade"]
slate = true
scope = "_cascade"
reference = "McInerney et al. 2020, KDD"
*/
{{ clipped_weight(clip) }}
