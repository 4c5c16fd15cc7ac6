/*
name = "GMBpref"
aliases = ["gm_bpref"]
summary = "Bpref, averaged over queries by the geometric mean."
formula = "Bpref; over queries exp(mean of ln max(Bpref, 0.00001))"
tex = '\exp\left( \frac{1}{|Q|} \sum_{q \in Q} \ln \max(\mathrm{Bpref}_q, 10^{-5}) \right)'
range = "[0, 1]"
parameters = ["rel"]
reads = "judged"
empty = 0
average = "geometric"
discount = 'null'
reference = "Robertson 2006, On GMAP: and other transformations; trec_eval gm_bpref"
*/
{{ bpref(rel) }}
