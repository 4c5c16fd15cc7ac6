{#- SQL expressions that the bodies of measures are built from.
    `d` is a row of the measure's row source (sql/row_sources/). Each macro has its summary directly above it. -#}

{#- Row source `documents`: one row per document of a query. `rank` is NULL if the document was not retrieved, `relevance`
    is NULL if it was not judged. -#}

{#- True if the document is in the top k; without a cutoff, true for every retrieved document. -#}
{% macro in_top(k, rank="d.rank") -%}
{%- if k is none -%} {{ rank }} is not null
{%- elif k is call_time -%} {{ rank }} <= coalesce({{ k }}, {{ rank }})
{%- else -%} {{ rank }} <= {{ k }}
{%- endif -%}
{%- endmacro %}

{#- True for a number of documents above the limit of 1,000,000,000. -#}
{% macro exceeds_limit(documents) -%}
{{ documents }} > 1000000000
{%- endmacro %}

{#- True for a rank below 1 or above 1,000,000,000. -#}
{% macro out_of_range(rank) -%}
{{ rank }} < 1 or {{ exceeds_limit(rank) }}
{%- endmacro %}

{#- Return the rank if it is whole and in range, else NULL. -#}
{% macro countable(rank) -%}
case when not ({{ out_of_range(rank) }}) and {{ rank }} = floor({{ rank }}) then {{ rank }} end
{%- endmacro %}

{#- True if the `num_ret` of a query is negative, not whole, too large, or below its last rank. -#}
{% macro impossible_num_ret(least, most, last_rank) -%}
{{ most }} < {{ last_rank }} or {{ least }} < 0 or {{ exceeds_limit(most) }} or {{ most }} <> floor({{ most }})
{%- endmacro %}

{#- True if the document is relevant: its grade is at least `rel`. -#}
{% macro relevant(rel) -%}
d.relevance >= {{ rel }}
{%- endmacro %}

{#- True if the document has a grade of at least 0: TREC marks pooled but unjudged documents with a negative grade. -#}
{% macro graded() -%}
d.relevance >= 0
{%- endmacro %}

{#- True if the document is judged nonrelevant: its grade is at least 0 and below `rel`. -#}
{% macro nonrelevant(rel) -%}
{{ graded() }} and d.relevance < {{ rel }}
{%- endmacro %}

{#- Return the smaller of two numbers, or `b` if `a` is a cutoff that is not set. -#}
{% macro smaller(a, b) -%}
{%- if a is none -%} {{ b }}
{%- else -%} case when {{ a }} < {{ b }} then {{ a }} else {{ b }} end
{%- endif -%}
{%- endmacro %}

{#- Return the larger of two numbers. -#}
{% macro larger(a, b) -%}
case when {{ a }} > {{ b }} then {{ a }} else {{ b }} end
{%- endmacro %}

{#- Return `share` times a number of documents as a whole number: rounded, or floor(x + 0.9) as in trec_eval 9. -#}
{% macro documents_at_share(number, share, rounding) -%}
floor({{ share }} * {{ number }} + {% if rounding is call_time %}case {{ rounding }} when 'te9' then 0.9e0
    else 0.5e0 end{% else %}{{ "0.9e0" if rounding == "te9" else "0.5e0" }}{% endif %})
{%- endmacro %}

{#- Return the enclosed expression. For a query without relevant documents it is NULL if `empty` asks for a value that is not 0. A document is
    relevant if its grade is at least `rel`. Without `rel`, it is relevant if it has a gain. -#}
{% macro unless_empty(empty, rel=none, level=none) -%}
{%- set answered = "max(d.relevance) >= " ~ rel if rel is not none else has_gain(level, "max(d.relevance)") -%}
{%- if empty == "0" -%} {{ caller() }}
{%- else -%} case when {% if empty is call_time %}{{ empty }} = '0' or {% endif %}{{ answered }} then coalesce({{ caller() }}, 0) end
{%- endif -%}
{%- endmacro %}

{#- Count the judged documents in the top k. Rankings do not say which documents other queries judge, so scope = 'collection' is an
    error: whoever has run and judgments adds these judgments, and asks for scope = 'query'. -#}
{% macro judged_in_top(k, scope) -%}
{{ choose(scope, {
    "query": "sum(case when " ~ in_top(k) ~ " and d.relevance is not null then 1e0 else 0e0 end)",
    "collection": "case when count(*) < 0 then 0e0 else " ~ error("scope = 'collection' needs a run and judgments, and "
        "rankings hold only the judgments of each query: add to the judgments a row of grade 0 for each retrieved "
            "document that another query judges, and leave out scope") ~ " end",
}) }}
{%- endmacro %}

{#- Sum an expression of a value and of its place in the order of the values, over the rows that satisfy a condition. Write it as
    {% call(value, place) %}. DuckDB sorts a list of each query. Other engines read the place from the window column `place`. -#}
{% macro sum_in_order(value, direction, place, condition) -%}
{%- if sum_by_place -%} {{ sum_by_place(value=value, direction=direction, where=condition, term=caller("__ltr_value", "__ltr_place")) }}
{%- else -%} sum(case when {{ condition }} then {{ caller(value, place) }} else 0e0 end)
{%- endif -%}
{%- endmacro %}

{#- Sum the precision at the rank of each relevant document in the top k. -#}
{% macro sum_of_precisions(relevant_so_far, k, rel) -%}
{% call(rank, place) sum_in_order("d.rank", "asc", relevant_so_far, in_top(k) ~ " and " ~ relevant(rel)) %}{{ place }} / {{ rank }}{% endcall %}
{%- endmacro %}

{#- Return the largest precision at any rank that has reached `least` relevant documents. -#}
{% macro max_precision(relevant_so_far, least, rel) -%}
{#- Precision is always largest at the rank of a relevant document. -#}
max(case when {{ in_top(none) }} and {{ relevant(rel) }} and {{ relevant_so_far }} >= {{ least }} then {{ relevant_so_far }} / d.rank else 0e0 end)
{%- endmacro %}

{#- Probability that a user who continues to the next rank with probability `p` reaches this rank. -#}
{% macro reach_probability(p, rank="d.rank") -%}
power({{ p }}, {{ rank }} - 1)
{%- endmacro %}

{#- Sum the discounted gains of the documents in the top k of `rank`. -#}
{% macro discounted_gain(rank, k, gain, discount, level) -%}
sum(case when {{ in_top(k, rank) }}
    and {{ has_gain(level, "d.relevance") }} then {{ gain_of("d.relevance", gain) }} / {{ discount_divisor(discount, rank) }}
    else 0e0 end)
{%- endmacro %}

{#- Sum the discounted gains of the top k of the ideal ranking. A cutoff that is SQL reads columns of the rows. -#}
{% macro ideal_discounted_gain(ideal_rank, k, gain, discount, level) -%}
{%- if k is string or not sum_by_place -%} {{ discounted_gain(ideal_rank, k, gain, discount, level) }}
{%- else -%}
{% call(relevance, place) sum_in_order("d.relevance", "desc", ideal_rank, has_gain(level, "d.relevance")) -%}
case when {{ in_top(k, place) }} then {{ gain_of(relevance, gain) }} / {{ discount_divisor(discount, place) }} else 0e0 end
{%- endcall %}
{%- endif -%}
{%- endmacro %}

{#- Return a cutoff, or raise an error if there is none. -#}
{% macro given_cutoff(k, option) -%}
{%- if k is none or k is call_time -%} case when {{ "true" if k is none else k ~ " is null" }}
    then {{ error(option ~ " needs a cutoff: write it after the @, or pass k") }}
    else {{ "1" if k is none else "cast(" ~ k ~ " as double)" }} end
{%- else -%} {{ k }}
{%- endif -%}
{%- endmacro %}

{#- Return the DCG of k documents with the largest gain of the query. -#}
{% macro full_dcg(ideal, k, gain, discount, level) -%}
max(case when {{ has_gain(level, "d.relevance") }} then {{ gain_of("d.relevance", gain) }} else 0e0 end)
    * {{ given_cutoff(k, "ideal = 'full'") }} * {{ mean_discount(ideal, k, discount) }}
{%- endmacro %}

{#- Return the mean discount of the ranks 1 to k. Macros, whose k is known at the call, take a list: a subquery would slow other ideals down.
    Say avg, because explain reads sum as a sum over the documents of the query. -#}
{% macro mean_discount(ideal, k, discount) -%}
{%- if k is call_time -%} list_avg(list_transform(range(1,
    case when {{ ideal ~ " = 'full' and " if ideal is call_time }}{{ k }} between 1 and 1000000000 then cast({{ k }} as bigint) + 1
    else 2 end), lambda i: 1e0 / {{ discount_divisor(discount, "i") }}))
{%- else -%} (select avg(1e0 / {{ discount_divisor(discount, "n.rank") }}) from ({{ numbers(1 if k is none else k) }}) as n)
{%- endif -%}
{%- endmacro %}

{#- Return the divisor of nDCG. `idcg` is the macro of the measure, and `retrieved` the number of retrieved documents. -#}
{% macro best_dcg(ideal, k, gain, discount, level, idcg, retrieved) -%}
{#- If nothing is retrieved, cut at 1: the value is 0, and not that of a query without relevant documents. -#}
{%- set returned = smaller(k, larger(retrieved, 1)) -%}
{{ choose(ideal, {
    "cut": idcg(k, gain, discount, level),
    "whole": idcg(none, gain, discount, level),
    "full": full_dcg(ideal, k, gain, discount, level),
    "returned": needs_measure_string("ideal = 'returned'") if ideal is call_time else idcg(returned, gain, discount, level),
}) }}
{%- endmacro %}

{#- Return the error for an option that reads the number of retrieved documents. Macros of single measures do not read it, because it
    would slow down calls with other options. -#}
{% macro needs_measure_string(option) -%}
{{ error(option ~ " reads the number of retrieved documents: write it in a measure string, as in ltr.evaluate(rankings, ['nDCG(ideal=returned)@10'])") }}
{%- endmacro %}

{#- Return the gain of a document by the parameters of the measure: `max_grade`, `rel`, or `gain` and `level`. -#}
{% macro gain_of_document(rel=none, gain="linear", max_grade=none, level=none) -%}
{%- if max_grade is not none -%} {{ satisfaction("d.relevance", max_grade, gain) }}
{%- elif rel is not none -%} case when {{ relevant(rel) }} then 1e0 else 0e0 end
{%- else -%} case when {{ has_gain(level, "d.relevance") }} then {{ gain_of("d.relevance", gain) }} else 0e0 end
{%- endif -%}
{%- endmacro %}

{#- Return the enclosed expression, or raise an error if a grade is above `max_grade`. -#}
{% macro reject_above_scale(max_grade) -%}
case when max(d.relevance) > {{ max_grade }} then {{ error("a grade is above max_grade: set max_grade to the largest grade of the scale", "double") }}
    else {{ caller() }} end
{%- endmacro %}

{#- Row source `tied_positions`: one row per document of a query, at one of the positions that its tied documents share. -#}

{#- Probability that the document at a position is relevant. -#}
{% macro expected_relevance() -%}
d.relevant_tied / d.num_tied
{%- endmacro %}

{#- Probability that the first relevant document of the ranking is at this position. -#}
{% macro first_relevant_probability(none_relevant_above) -%}
{{ none_relevant_above }} * d.relevant_tied / (d.num_tied - d.above_in_tie)
{%- endmacro %}

{#- Return the expected number of relevant documents in the top k. -#}
{% macro expected_num_rel_ret(k) -%}
sum(case when {{ in_top(k) }} then {{ expected_relevance() }} else 0e0 end)
{%- endmacro %}

{#- Row source `ranks`: one row per rank from 1 to k, with its `gain`. -#}

{#- Return the expected gain per viewed rank, given the probability that the user views each rank. -#}
{% macro expected_utility(view_probability, k) -%}
sum(case when d.rank <= {{ k }} then {{ view_probability }} * d.gain else 0e0 end) / sum(case when d.rank <= {{ k }} then {{ view_probability }} else 0e0 end)
{%- endmacro %}

{#- Row source `depths`: one row per depth of a ranking and its ideal. -#}

{#- Sum a value over all depths, weighted by p^(depth - 1). -#}
{% macro weighted_by_depth(value, p) -%}
sum({{ value }} * power({{ p }}, d.depth - 1))
{%- endmacro %}

{#- Return `value` if the parameter `normalize` is 'true', else `other`. -#}
{% macro if_normalized(normalize, value, other) -%}
{%- if normalize is call_time -%} case {{ normalize }} when 'true' then {{ value }} else {{ other }} end
{%- else -%} {{ value if normalize == "true" else other }}
{%- endif -%}
{%- endmacro %}

{#- Row source `gain_positions`: one row for the rank of each document, with `gain`, and one for its position in the ideal
    ranking, with `ideal_gain`. -#}

{#- Sum gains over all positions, each divided by log2(position + 1). -#}
{% macro dcg_by_position(gain) -%}
sum({{ gain }} / log2(d.position + 1))
{%- endmacro %}

{#- Return 1 if the ranking is longer than the ideal ranking by at least two documents, else 0. -#}
{% macro longer_than_ideal() -%}
case when max(d.num_ret) >= sum(case when d.ideal_gain > 0 then 1e0 else 0e0 end) + 2 then 1e0 else 0e0 end
{%- endmacro %}

{#- Row sources `coverage` and `subtopics`: one row per document and subtopic that it covers. In `subtopics`, `ideal_rank`
    is the position of the document in the greedy ideal ranking. -#}

{#- Count the subtopics that at least one document covers. -#}
{% macro num_subtopics() -%}
count(distinct d.subtopic)
{%- endmacro %}

{#- Return the logarithmic discount of a rank, 1 / log2(rank + 1). -#}
{% macro log_discount(rank) -%}
1e0 / log2({{ rank }} + 1)
{%- endmacro %}

{#- Return the reciprocal discount of a rank, 1 / rank. -#}
{% macro rank_discount(rank) -%}
1e0 / {{ rank }}
{%- endmacro %}

{#- Sum the discounted novelty gains of the top k. The gain of a row is (1 - alpha)^(number of documents above that cover its
    subtopic). -#}
{% macro novelty(rank, times_covered_above, k, alpha, discount) -%}
sum(case when {{ in_top(k, rank) }} then power(1e0 - {{ alpha }}, {{ times_covered_above }}) * {{ discount }} else 0e0 end)
{%- endmacro %}

{#- Return the largest possible novelty per subtopic, reached if each document covers every subtopic; `discount` refers to
    n.rank. -#}
{% macro max_novelty(k, alpha, discount) -%}
(select sum(power(1e0 - {{ alpha }}, n.rank - 1) * {{ discount }}) from ({{ numbers(k) }}) as n)
{%- endmacro %}

{#- Two rankings: `rank_a` and `rank_b` are the ranks of a document, NULL where a ranking lacks it. -#}

{#- True if the document is in the top k of both rankings. -#}
{% macro in_both(k, row="d") -%}
{%- if k is none -%} {{ row }}.rank_a is not null and {{ row }}.rank_b is not null
{%- else -%} {{ in_top(k, row ~ ".rank_a") }} and {{ in_top(k, row ~ ".rank_b") }}
{%- endif -%}
{%- endmacro %}

{#- Select all documents of two rankings, with ranks beyond the top k set to NULL. -#}
{% macro truncated_ranks(k) -%}
select
    {{ key("p") }},
    case when {{ in_top(k, "p.rank_a") }} then {{ validate_pair_rank("p.rank_a") }} end as rank_a,
    case when {{ in_top(k, "p.rank_b") }} then {{ validate_pair_rank("p.rank_b") }} end as rank_b
from __ltr_paired as p
{%- endmacro %}

{#- Return a rank of a pair, or raise an error if it is out of range; averaged ranks such as 2.5 are allowed. -#}
{% macro validate_pair_rank(rank) -%}
case when {{ out_of_range(rank) }} then {{ error("ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1", "double") }} else {{ rank }} end
{%- endmacro %}

{#- Row sources `either_documents` and `depth_overlap`: the documents in the top k of either ranking. -#}

{#- Count the documents in the top k of both rankings. -#}
{% macro num_in_both() -%}
sum(case when {{ in_both(none) }} then 1e0 else 0e0 end)
{%- endmacro %}

{#- Return the depth to which rankings are compared: the cutoff, or without one the largest rank in the two rankings. -#}
{% macro depth_or_default(k, last_rank) -%}
{%- if k is none -%} {{ last_rank }}
{%- elif k is call_time -%} coalesce({{ k }}, {{ last_rank }})
{%- else -%} {{ k }}
{%- endif -%}
{%- endmacro %}

{#- Return the mean size of two top lists at a depth; a size is at least the depth, and larger if ties cross it. -#}
{% macro mean_top_size(depth, size_a, size_b) -%}
(({{ larger(depth, size_a) }} + {{ larger(depth, size_b) }}) / 2e0)
{%- endmacro %}

{#- Return 1 / from + ... + 1 / to. -#}
{% macro sum_of_reciprocals(from, to) -%}
({{ harmonic_number(to) }} - ({{ harmonic_number("(" ~ from ~ " - 1)") }}))
{%- endmacro %}

{#- Return 1 + 1 / 2 + ... + 1 / n, minus Euler's constant. Use it only in differences, where the constant cancels. -#}
{% macro harmonic_number(n) -%}
{#- The asymptotic series of the sum to n + 16, minus the last 16 terms of that sum: exact to the precision of a double. -#}
{%- set middle = "(" ~ n ~ " + 16.5e0)" -%}
ln({{ middle }}) + 1 / (24 * power({{ middle }}, 2)) - 7 / (960 * power({{ middle }}, 4)) + 31
    / (8064 * power({{ middle }}, 6)) - 127 / (30720 * power({{ middle }}, 8))
{%- for j in range(1, 17) %} - 1e0 / ({{ n }} + {{ j }}){% endfor -%}
{%- endmacro %}

{#- Row source `common_documents`: one row per document in the top k of both rankings. -#}

{#- Return n times the covariance of the average ranks of n documents in two rankings; both means are (n + 1) / 2. -#}
{% macro rank_covariance(rank, other_rank) -%}
(sum({{ rank }} * {{ other_rank }}) - count(*) * power(count(*) + 1, 2) / 4)
{%- endmacro %}

{#- Row source `pairs`: one row per document in the top k of both rankings. `inversions` counts the documents above it in
    a and below it in b, `above_b` those above it in b. -#}

{#- Return the columns that identify a pair of rankings: its number in DuckDB, the key in other engines. -#}
{% macro list_key(row) -%}
{% if larger_before is none %}{{ key(row) }}{% else %}{{ row }}.list{% endif %}
{%- endmacro %}

{#- Count the document pairs. -#}
{% macro num_pairs() -%} (count(*) * (count(*) - 1e0) / 2) {%- endmacro %}

{#- Count the discordant pairs, which the two rankings order differently. -#}
{% macro num_discordant() -%} sum(d.inversions) {%- endmacro %}

{#- Count the pairs that a ranking does not tie, given the number of documents above each document. -#}
{% macro untied_pairs(above) -%}
(1e0 * sum({{ above }}))
{%- endmacro %}

{#- Count the pairs that neither ranking ties. -#}
{% macro pairs_untied_in_both(above_in_a, above_in_a_then_b) -%}
({{ untied_pairs(above_in_a) }} + {{ untied_pairs("d.above_b") }} - {{ untied_pairs(above_in_a_then_b) }})
{%- endmacro %}

{#- Return the number of concordant pairs minus the number of discordant pairs. -#}
{% macro concordant_minus_discordant(above_in_a, above_in_a_then_b) -%}
({{ pairs_untied_in_both(above_in_a, above_in_a_then_b) }} - 2 * {{ num_discordant() }})
{%- endmacro %}

{#- Return `value`, or NULL if a ranking ties all documents, because a correlation is undefined then. -#}
{% macro if_both_vary(value, by="rank") -%}
case when min(d.{{ by }}_a) < max(d.{{ by }}_a) and min(d.{{ by }}_b) < max(d.{{ by }}_b) then {{ value }} end
{%- endmacro %}

{#- Row source `prefixes`: one row per depth of a shorter ranking s and a longer ranking l. -#}

{#- Return the share of the documents tied at a depth that fall within the prefix. -#}
{% macro tie_share(list) -%}
coalesce((d.depth - d.start_{{ list }} + 1) / (d.end_{{ list }} - d.start_{{ list }} + 1), 1e0)
{%- endmacro %}

{#- Return the expected number of documents in both prefixes, over all orders of tied documents. -#}
{% macro expected_overlap() -%}
(d.whole + {{ tie_share("s") }} * d.partly_s + {{ tie_share("l") }} * d.partly_l + {{ tie_share("s") }} * {{ tie_share("l") }} * d.partly_both)
{%- endmacro %}

{#- Sum, over all documents, the squared share of each document that falls within the prefix. -#}
{% macro sum_of_squared_shares(list) -%}
coalesce(d.start_{{ list }} - 1 + power(d.depth - d.start_{{ list }} + 1, 2) / (d.end_{{ list }} - d.start_{{ list }} + 1), d.depth)
{%- endmacro %}

{#- Sum a value over the depths of the longer ranking, weighted by p^depth. -#}
{% macro weighted_to_end_of_l(value, p) -%}
sum(case when d.depth <= d.length_l then {{ value }} * power({{ p }}, d.depth) else 0e0 end)
{%- endmacro %}

{#- Row source `shown_documents`: one row for each document of the catalogue or of a list. -#}

{#- Return `value` for a document that counts: one of the catalogue, or with universe = 'shown' one that is shown. -#}
{% macro if_in_universe(universe, value) -%}
case when {{ choose(universe, {"documents": "d.in_catalogue", "shown": "d.shown > 0"}) }} then {{ value }} end
{%- endmacro %}

{#- Row source `list_categories`: one row for each list and category. -#}

{#- Return the share of the category in the list, smoothed by its share in the history. -#}
{% macro smoothed_share(alpha) -%}
((1 - {{ alpha }}) * d.listed + {{ alpha }} * d.known)
{%- endmacro %}

{#- Return the smallest smoothed share of a category in the history. -#}
{% macro smallest_smoothed(alpha) -%}
min(case when d.known > 0 then {{ smoothed_share(alpha) }} end)
{%- endmacro %}

{#- Return the Jensen-Shannon divergence of two distributions in nats, NULL if one is unknown. -#}
{% macro jensen_shannon(p, q) -%}
{%- set middle = "((" ~ p ~ " + " ~ q ~ ") / 2)" -%}
case
    when count({{ p }}) > 0 and count({{ q }}) > 0
    then 0.5e0 * sum(case when {{ p }} > 0 then {{ p }} * ln({{ p }} / {{ middle }}) else 0e0
        end + case when {{ q }} > 0 then {{ q }} * ln({{ q }} / {{ middle }}) else 0e0 end)
end
{%- endmacro %}
