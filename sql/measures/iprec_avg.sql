/*
name = "IPrecAvg"
aliases = ["11pt_avg"]
summary = "Interpolated precision, averaged over the eleven recall levels 0, 0.1, ..., 1."
formula = "mean of IPrec@x over x = 0, 0.1, ..., 1"
tex = '\frac{1}{11} \sum_{x \in \{0, 0.1, \dots, 1\}} \mathrm{IPrec}@x'
range = "[0, 1]"
parameters = ["rounding", "rel"]
empty = 0
reference = "Salton and McGill 1983, Introduction to Modern Information Retrieval; trec_eval 11pt_avg"
*/
{% call unless_empty(empty, rel) %}(
{%- for tenth in range(11) %}
    {% if tenth %}+ {% endif %}{{ iprec(tenth / 10, rounding, rel) }}
{%- endfor %}
) / 11{% endcall %}
