/*
name = "SetAP"
aliases = ["set_map"]
summary = "Precision of all retrieved documents times their recall."
formula = "SetP R"
range = "[0, 1]"
parameters = ["rel"]
base = "documents"
rows = "all"
empty = 0
reference = "trec_eval set_map"
*/
{{ set_p(rel) }} * {{ r(none, rel, "0") }}
