/*
name = "GradedAP"
aliases = ["GAP"]
summary = "Graded average precision: AP for a user whose smallest useful grade is unknown. It is the expected sum of precisions, divided by the expected number of relevant documents. Linear gains make all grades equally probable. For binary grades it equals AP."
formula = "sum over documents of rank i <= k of (1 / i) sum over documents of rank j <= i of min(gain_i, gain_j), divided by the sum of the gains of all documents; grades below 0 have the gain 0"
tex = '\frac{\sum_{i \le k} \frac{1}{i} \sum_{j \le i} \min(g_i, g_j)}{\sum_d g_d}'
range = "[0, 1]"
parameters = ["k", "gain"]
row_source = "levels"
empty = 0
reference = "Robertson, Kanoulas and Yilmaz 2010, Extending average precision to graded relevance judgments"
*/
sum(case when {{ in_top(k) }} then ({{ gain_of("d.level", gain) }} - {{ gain_of("d.level_below", gain) }}) * {{ found_so_far() }} / d.rank else 0e0 end)
/ nullif(sum({{ gain_of("d.level", gain) }} - {{ gain_of("d.level_below", gain) }}), 0)
