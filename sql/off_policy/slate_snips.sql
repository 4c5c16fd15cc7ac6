/*
summary = "Standard IPS of slates: each reward weighted by target / propensity of the whole list, divided by the mean weight of the rank."
formula = "mean over queries of the sum over ranks of (w / mean w of the rank) * reward, where w = min(target / propensity, clip)"
reads = ["rank", "reward", "propensity", "target"]
self_normalised = true
slate = true
reference = "Swaminathan et al. 2017, NIPS"
*/
{{ clipped_weight(clip) }}
