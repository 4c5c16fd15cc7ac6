/*
name = "TauAP"
summary = "Top-weighted AP correlation of two rankings, over the documents in the top k of both. For each document, the measure takes the share of documents above it in ranking a that are also above it in ranking b. It averages these shares and scales the mean to [-1, 1]."
formula = "variant a: 2 / (n - 1) (sum over documents of rank i > 1 in ranking a of C_i / (i - 1)) - 1, C_i = number of documents above this document in both rankings, averaged over orders of documents tied in a; b: 2 / m (sum over documents with others above of C / |above|) - 1, m = number of these documents, averaged over both directions"
tex = '\tau_{AP} = \frac{2}{n - 1} \sum_{i = 2}^{n} \frac{C_i}{i - 1} - 1'
range = "[-1, 1], NULL if n < 2 or a ranking ties all documents"
parameters = ["k", "variant"]
row_source = "positioned_pairs"
empty = "null"
reference = "Yilmaz, Aslam and Robertson 2008, A new rank correlation coefficient for information retrieval; Urbano and Marrero 2017, The treatment of ties in AP correlation"
[choices]
variant = ["a", "b"]
[defaults]
variant = "a"
[summaries]
variant = "'a' takes ranking b as the reference and allows ties in ranking a only; 'b' treats both rankings alike and allows ties in both"
*/
{%- set agreed -%} ({{ above_in_a() }} - {{ above_in_a_tied_in_b() }} - d.inversions) {%- endset -%}
{%- set share_above -%} case when {{ above_in_a() }} > 0 then {{ agreed }} / {{ above_in_a() }} end {%- endset -%}
{%- set share_above_b -%} case when d.above_b > 0 then {{ agreed }} / d.above_b end {%- endset -%}
{{ if_both_vary(choose(variant, {
    "a": "2 * sum(" ~ agreed ~ " * " ~ mean_reciprocal_above()
        ~ " + case when d.position_a > 1 then (d.position_a - 1 - " ~ above_in_a()
        ~ ") / (2 * (d.position_a - 1e0)) else 0e0 end) / (count(*) - 1) - 1",
    "b": "avg(" ~ share_above ~ ") + avg(" ~ share_above_b ~ ") - 1",
})) }}
