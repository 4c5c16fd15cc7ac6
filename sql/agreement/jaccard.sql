/*
name = "Jaccard"
summary = "Jaccard index of the top k of two rankings."
formula = "|in both top k| / |in either top k|"
tex = '\frac{|A_k \cap B_k|}{|A_k \cup B_k|}'
range = "[0, 1], NULL if both are empty"
parameters = ["k"]
row_source = "either_documents"
empty = "null"
reference = "Jaccard 1912, The distribution of the flora in the alpine zone"
*/
{{ num_in_both() }} / count(*)
