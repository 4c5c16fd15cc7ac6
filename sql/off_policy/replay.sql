/*
summary = "Mean reward of the rounds whose logged action a deterministic target policy takes. Unbiased only if the logging policy is uniformly random."
formula = "mean reward of the rounds with target = 1"
reads = ["reward", "target"]
self_normalised = true
reference = "Li et al. 2011, WSDM"
*/
case when r.target in (0, 1) then r.target
    else {{ error_of("replay needs a deterministic target policy, with the probabilities 0 and 1; got", "r.target") }}
    end
