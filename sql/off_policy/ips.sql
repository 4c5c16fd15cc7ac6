/*
summary = "Inverse propensity scoring: the mean of the rewards, each weighted by target / propensity."
formula = "mean of min(w, clip) * reward, where w = target / propensity"
reads = ["reward", "propensity", "target"]
reference = "Horvitz & Thompson 1952, JASA 47; Strehl et al. 2010, NIPS (clip)"
*/
{{ clipped_weight(clip) }}
