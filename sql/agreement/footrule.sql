/*
name = "Footrule"
summary = "Spearman's footrule: the sum of absolute rank differences between two rankings, over the documents in the top k of either. A document that the top k of a ranking lacks gets the rank that the parameter location sets."
formula = "sum of |rank_a - rank_b|"
tex = '\sum_d |\mathit{rank}_a(d) - \mathit{rank}_b(d)|'
range = "[0, k (k + 1)] with location k + 1"
parameters = ["k", "location"]
row_source = "either_documents"
better = "lower"
empty = "null"
reference = "Diaconis and Graham 1977, Spearman's footrule as a measure of disarray; Fagin, Kumar and Sivakumar 2003, Comparing top k lists"
*/
{%- set after_the_end = "(1 + " ~ depth_or_default(k, last_rank()) ~ ")" -%}
{%- set absent -%} {% if location is none %}{{ after_the_end }}{% elif location is call_time %}coalesce({{ location }},
    {{ after_the_end }}){% else %}{{ location }}{% endif %} {%- endset -%}
sum(abs(coalesce(d.rank_a, {{ absent }}) - coalesce(d.rank_b, {{ absent }})))
