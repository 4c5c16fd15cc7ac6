/*
name = "G"
aliases = []
summary = "Gains discounted by how far the ranking lags behind the ideal ranking, as a share of all gains."
formula = "(sum over ranks i of gain / log2(2 + cost_i - cg_i)) / sum of all gains, cost_i = sum over ideal ranks j <= i of max(ideal gain, 1), cg_i = sum of the gains of ranks j <= i"
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
