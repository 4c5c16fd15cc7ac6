/*
name = "nDCG_rel"
summary = "nDCG at the rank of each relevant document, averaged. A document that was not retrieved counts with the nDCG of the whole ranking."
formula = "mean over documents with relevance > 0 of DCG@i / IDCG@i, i = rank of the document; DCG / IDCG if it was not retrieved"
tex = '\frac{1}{R} \sum_{d\,\text{relevant}} \frac{\mathrm{DCG}@i_d}{\mathrm{IDCG}@i_d}, \quad i_d = \text{rank of } d'
range = "[0, 1]"
parameters = []
row_source = "gain_positions"
gains = true
empty = 0
reference = "trec_eval ndcg_rel"
*/
(
    sum(case when d.gain > 0 then {{ dcg_so_far() }} / nullif({{ idcg_so_far() }}, 0) else 0e0 end)
    + sum(case when d.ideal_gain > 0 then 1e0 when d.gain > 0 then -1e0 else 0e0 end) * {{ dcg_by_position("d.gain") }}
        / nullif({{ dcg_by_position("d.ideal_gain") }}, 0)
)
/ nullif(sum(case when d.ideal_gain > 0 then 1e0 else 0e0 end), 0)
