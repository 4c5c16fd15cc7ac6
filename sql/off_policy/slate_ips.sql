/*
summary = "Standard IPS of slates: each reward weighted by target / propensity of the whole list."
formula = "mean over queries of the sum over ranks of min(w, clip) * reward, where w = target / propensity"
reads = ["rank", "reward", "propensity", "target"]
slate = true
reference = "Swaminathan et al. 2017, NIPS"
*/
{{ clipped_weight(clip) }}
