/*
name = "GMAP"
aliases = ["gm_map"]
summary = "Average precision, averaged over queries by the geometric mean."
formula = "AP; over queries exp(mean of ln max(AP, 0.00001))"
tex = '\exp\left( \frac{1}{|Q|} \sum_{q \in Q} \ln \max(\mathrm{AP}_q, 10^{-5}) \right)'
range = "[0, 1]"
parameters = ["rel"]
empty = 0
average = "geometric"
discount = 'null'
reference = "Robertson 2006, On GMAP: and other transformations; trec_eval gm_map"
*/
{{ ap(none, rel, "relevant") }}
