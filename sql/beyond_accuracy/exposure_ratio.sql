/*
name = "ExposureRatio"
aliases = []
summary = "Ratio of the least to the most exposed group, by exposure per document or per relevance: 1 if it is equal for all groups. NULL if a group has no relevant document with per = 'relevance'."
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
