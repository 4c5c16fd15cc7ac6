/*
name = "Entropy"
aliases = ["ShannonEntropy", "DistributionalCoverage"]
summary = "Shannon entropy of the documents that fill the lists: 0 if all lists show one document, the logarithm of their number if all documents are shown equally often."
formula = "- (1 / divisor) sum over documents of p log p, p = number of lists that show it / sum of these numbers; divisor = 1 or |shown documents|"
range = "[0, inf)"
parameters = ["k", "base", "divisor"]
row_source = "shown_documents"
empty = "null"
reference = "Shannon 1948, A mathematical theory of communication; Vargas and Castells 2014, Improving sales diversity by recommending users to items; recommenders distributional_coverage"
[choices]
divisor = ["none", "shown"]
[defaults]
divisor = "none"
[summaries]
divisor = "divisor of the entropy: 'none', or with 'shown' the number of shown documents"
*/
(ln(sum(1e0 * d.shown)) - sum(case when d.shown > 0 then d.shown * ln(d.shown) else 0e0 end) / nullif(sum(1e0 * d.shown), 0))
/ {{ choose(base, {"e": "1e0", "2": "ln(2e0)"}) }}
/ {{ choose(divisor, {"none": "1e0", "shown": "nullif(sum(case when d.shown > 0 then 1e0 else 0e0 end), 0)"}) }}
