/*
name = "G"
summary = "Gains discounted by how far the ranking lags behind the ideal ranking, as a share of all gains."
formula = "(sum over ranks i of gain / log2(2 + cost_i - cg_i)) / sum of all gains, cost_i = sum over ideal ranks j <= i of max(ideal gain, 1), cg_i = sum of the gains of ranks j <= i"
tex = '\frac{1}{\sum_i g_i} \sum_i \frac{g_i}{\log_2(2 + c_i - G_i)}, \quad c_i = \sum_{j \le i} \max(g^*_j, 1),\; G_i = \sum_{j \le i} g_j'
range = "[0, 1]"
parameters = []
row_source = "gain_positions"
gains = true
empty = 0
discount = 'null'
reference = "trec_eval G"
*/
sum(case when d.gain > 0 then d.gain / log2({{ larger("1e0", "2 + d.position + " ~ shortfall_so_far()) }}) else 0e0 end)
/ nullif(sum(d.ideal_gain), 0)
