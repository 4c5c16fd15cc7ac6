/*
summary = "Subgaussian IPS: large weights shrink to at most 1 / shrinkage."
formula = "mean of w / (1 - s + s * w) * reward, where w = target / propensity and s is the shrinkage"
reads = ["reward", "propensity", "target"]
needs = ["shrinkage"]
reference = "Metelli, Russo & Restelli 2021, NeurIPS"
*/
{{ subgaussian_weight(shrinkage) }}
