/*
name = "AverageOverlap"
aliases = ["AO"]
summary = "Average overlap: the overlap of the top d of two rankings, averaged over the depths d <= k. Tied documents are all in the top d if their rank is at most d."
formula = "(1 / k) sum over d <= k of |in both top d| / size_d, size_d = mean of max(d, |top d of a|) and max(d, |top d of b|) (d without ties); without a cutoff, k is the largest rank in the two rankings"
tex = '\frac{1}{k} \sum_{d \le k} \frac{|A_d \cap B_d|}{d}'
range = "[0, 1], NULL if both are empty"
parameters = ["k"]
row_source = "depth_overlap"
empty = "null"
reference = "Fagin, Kumar and Sivakumar 2003, Comparing top k lists; Wu and Crestani 2003; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap"
*/
sum(d.overlap * case when d.until > d.depth then {{ sum_of_reciprocals("d.depth", "d.until") }}
    else 1 / {{ mean_top_size("d.depth", "d.size_a", "d.size_b") }} end / d.last)
