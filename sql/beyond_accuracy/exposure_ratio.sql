/*
name = "ExposureRatio"
summary = "Exposure of the least exposed group, divided by that of the most exposed group. Exposure is per document, or per unit of relevance. 1 if all groups have equal exposure. NULL if no group has exposure, or with per = 'relevance' if a group has no relevant document."
formula = "min over groups of e / max over groups of e, e = exposure of the group / its documents, or / its relevance"
range = "[0, 1]"
parameters = ["k", "exposure", "p", "per"]
row_source = "group_exposures"
needs = ["documents.group", "qrels.relevance if per = relevance"]
empty = "null"
reference = "Singh and Joachims 2018, Fairness of exposure in rankings: demographic parity, disparate treatment"
*/
{% set share = "d.exposure / nullif(" ~ choose(per, {"document": "d.documents", "relevance": "d.merit"}) ~ ", 0)" -%}
case when count({{ share }}) = count(*) then min({{ share }}) / nullif(max({{ share }}), 0) end
