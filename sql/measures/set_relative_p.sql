/*
name = "SetRelativeP"
aliases = ["SetRelP"]
summary = "Number of relevant retrieved documents, divided by the largest number that a retrieved set of this size can contain."
formula = "|relevant and retrieved| / min(|retrieved|, |relevant|)"
tex = '\frac{|\text{relevant and retrieved}|}{\min(n, R)}'
range = "[0, 1]"
parameters = ["rel"]
reads = "counted"
empty = 0
reference = "trec_eval set_relative_P"
*/
{% call unless_empty(empty, rel) %}{{ num_rel_ret(none, rel) }} / nullif({{ smaller(num_ret(none), num_rel(rel)) }}, 0){% endcall %}
