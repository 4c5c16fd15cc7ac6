/*
name = "SetF"
uncut = ["F1"]
summary = "Weighted harmonic mean of the precision and recall of all retrieved documents."
formula = "(1 + b) SetP SetR / (b SetP + SetR), b = beta_squared; 0 if nothing relevant was retrieved"
tex = '\frac{(1 + \beta^2)\, \mathrm{SetP} \cdot \mathrm{SetR}}{\beta^2\, \mathrm{SetP} + \mathrm{SetR}}'
range = "[0, 1]"
parameters = ["beta_squared", "rel"]
at = "beta_squared"
reads = "counted"
empty = 0
reference = "van Rijsbergen 1979, Information Retrieval; trec_eval set_F"
*/
{% call unless_empty(empty, rel) %}(1 + {{ beta_squared }}) * {{ set_p(rel) }} * {{ r(none, rel) }}
/ nullif({{ beta_squared }} * {{ set_p(rel) }} + {{ r(none, rel) }}, 0){% endcall %}
