/*
name = "F1"
summary = "Harmonic mean of precision and recall at k."
formula = "2 P@k R@k / (P@k + R@k), 0 if both are 0"
tex = '\frac{2\, P@k \cdot R@k}{P@k + R@k}'
range = "[0, 1]"
parameters = ["k", "rel"]
cutoff = "required"
empty = 0
reference = "van Rijsbergen 1979, Information Retrieval"
*/
{% call unless_empty(empty, rel) %}2 * {{ p(k, rel) }} * {{ r(k, rel) }} / nullif({{ p(k, rel) }} + {{ r(k, rel) }}, 0){% endcall %}
