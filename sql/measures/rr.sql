/*
name = "RR"
aliases = ["MRR", "recip_rank"]
summary = "Reciprocal rank of the first relevant document in the top k."
formula = "1 / rank of the first relevant document, 0 if none is in the top k"
tex = '\frac{1}{\min \{ i \le k : r_i = 1 \}}'
range = "[0, 1]"
parameters = ["k", "rel"]
empty = 0
discount = '{{ rank_discount("d.rank") }}'
reference = "Kantor and Voorhees 2000, The TREC-5 confusion track; trec_eval recip_rank"
*/
{% call unless_empty(empty, rel) %}max(case when {{ in_top(k) }} and {{ relevant(rel) }} then 1e0 / d.rank else 0e0 end){% endcall %}
