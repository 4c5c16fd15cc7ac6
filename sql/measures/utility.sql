/*
name = "Utility"
aliases = []
summary = "What the documents are worth, by whether they are relevant and retrieved."
formula = "rel_ret H + nonrel_ret (n - H) + rel_missed (R - H) + nonrel_missed (collection_size + H - n - R)"
range = "(-inf, inf)"
parameters = ["rel_ret", "nonrel_ret", "rel_missed", "nonrel_missed", "collection_size", "rel"]
row_source = "documents"
reads = "counted"
empty = 0
reference = "trec_eval utility"
*/
{{ rel_ret }} * {{ num_rel_ret(none, rel) }}
+ {{ nonrel_ret }} * ({{ num_ret(none) }} - {{ num_rel_ret(none, rel) }})
+ {{ rel_missed }} * ({{ num_rel(rel) }} - {{ num_rel_ret(none, rel) }})
+ {{ nonrel_missed }} * ({{ collection_size }} + {{ num_rel_ret(none, rel) }} - {{ num_ret(none) }} - {{ num_rel(rel) }})
