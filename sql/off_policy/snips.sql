/*
summary = "Self-normalised IPS: the weighted mean of the rewards."
formula = "sum of w * reward / sum of w, where w = min(target / propensity, clip)"
reads = ["reward", "propensity", "target"]
self_normalised = true
reference = "Swaminathan & Joachims 2015, NIPS"
*/
{{ clipped_weight(clip) }}
