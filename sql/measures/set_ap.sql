/*
name = "SetAP"
aliases = ["set_map"]
summary = "Precision of all retrieved documents, multiplied by their recall."
formula = "SetP SetR = |relevant and retrieved|^2 / (|retrieved| |relevant|)"
tex = '\mathrm{SetP} \cdot \mathrm{SetR} = \frac{H^2}{n R}, \quad H = |\text{relevant and retrieved}|'
range = "[0, 1]"
parameters = ["rel"]
reads = "counted"
empty = 0
reference = "trec_eval set_map"
*/
{% call unless_empty(empty, rel) %}{{ num_rel_ret(none, rel) }} * {{ num_rel_ret(none, rel) }}
    / nullif({{ num_ret(none) }} * {{ num_rel(rel) }}, 0){% endcall %}
