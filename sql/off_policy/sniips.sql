/*
summary = "Independent IPS: each reward weighted by target / propensity of the document at its rank, divided by the mean weight of the rank."
formula = "mean over queries of the sum over ranks of (w / mean w of the rank) * reward, where w = min(target / propensity, clip)"
reads = ["rank", "reward", "propensity_item", "target_item"]
self_normalised = true
slate = true
scope = "_item"
reference = "Li et al. 2018, KDD"
*/
{{ clipped_weight(clip) }}
