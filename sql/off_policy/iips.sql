/*
summary = "Independent IPS: each reward weighted by target / propensity of the document at its rank."
formula = "mean over queries of the sum over ranks of min(w, clip) * reward, where w = target / propensity"
reads = ["rank", "reward", "propensity_item", "target_item"]
slate = true
scope = "_item"
reference = "Li et al. 2018, KDD"
*/
{{ clipped_weight(clip) }}
