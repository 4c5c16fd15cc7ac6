/*
name = "RnDCG"
summary = "Mean nDCG over one cutoff per positive grade: the last position of the grade in the ideal ranking. If the ranking is at least two documents longer than the ideal ranking, the mean includes the nDCG of the whole ranking."
formula = "mean over grades > 0 of DCG@c / IDCG@c, c = |documents of that grade or above|, and of DCG / IDCG if n >= R + 2, n = |retrieved|, R = |documents of a grade > 0|"
tex = '\text{mean over cutoffs } c \text{ of } \frac{\mathrm{DCG}@c}{\mathrm{IDCG}@c}, \quad c = |\{ d : \mathit{rel}_d \ge \text{grade} \}|'
range = "[0, 1]"
parameters = []
row_source = "gain_positions"
reads = "counted"
gains = true
empty = 0
reference = "trec_eval Rndcg"
*/
(
    sum(case when d.ends_grade then {{ dcg_so_far() }} / nullif({{ idcg_so_far() }}, 0) else 0e0 end)
    + {{ longer_than_ideal() }} * {{ dcg_by_position("d.gain") }} / nullif({{ dcg_by_position("d.ideal_gain") }}, 0)
)
/ (sum(case when d.ends_grade then 1e0 else 0e0 end) + {{ longer_than_ideal() }})
