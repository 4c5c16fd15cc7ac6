/*
name = "SetP"
uncut = ["Precision"]
summary = "Share of relevant documents among all retrieved documents."
formula = "|relevant and retrieved| / |retrieved|"
tex = '\frac{|\text{relevant and retrieved}|}{n}'
range = "[0, 1]"
parameters = ["rel"]
reads = "counted"
empty = 0
reference = "van Rijsbergen 1979, Information Retrieval; trec_eval set_P"
*/
{% call unless_empty(empty, rel) %}{{ precision_at(none, rel) }}{% endcall %}
