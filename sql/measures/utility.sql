/*
name = "Utility"
summary = "Weighted sum of the numbers of relevant and nonrelevant documents, retrieved or missed."
formula = "rel_ret H + nonrel_ret (n - H) + rel_missed (R - H) + nonrel_missed (collection_size + H - n - R), H = |relevant and retrieved|, n = |retrieved|, R = |relevant|"
tex = 'a H + b\, (n - H) + c\, (R - H) + d\, (N + H - n - R), \quad H = |\text{relevant and retrieved}|'
range = "(-inf, inf)"
parameters = ["rel_ret", "nonrel_ret", "rel_missed", "nonrel_missed", "collection_size", "rel"]
reads = "counted"
empty = 0
takes_empty = false
reference = "trec_eval utility"
*/
{{ rel_ret }} * {{ num_rel_ret(none, rel) }}
+ {{ nonrel_ret }} * ({{ num_ret(none) }} - {{ num_rel_ret(none, rel) }})
+ {{ rel_missed }} * ({{ num_rel(rel) }} - {{ num_rel_ret(none, rel) }})
+ {{ nonrel_missed }} * ({{ collection_size }} + {{ num_rel_ret(none, rel) }} - {{ num_ret(none) }} - {{ num_rel(rel) }})
