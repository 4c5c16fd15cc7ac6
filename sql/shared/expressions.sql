{#- The words that measures are written in. `d` is a row of the measure's base (row_sources/). -#}

{#- Documents: one row per document of a query, with `rank` (NULL = not retrieved) and `relevance` (NULL = not judged). -#}

{% macro in_top(k, rank="d.rank") -%}
{%- if k is none -%} {{ rank }} is not null
{%- elif k is symbol -%} {{ rank }} <= coalesce({{ k }}, {{ rank }})
{%- else -%} {{ rank }} <= {{ k }}
{%- endif -%}
{%- endmacro %}

{#- More documents than a ranking can have. -#}
{% macro too_many(documents) -%}
{{ documents }} > 1000000000
{%- endmacro %}

{#- A rank that no document of a ranking can have. -#}
{% macro out_of_range(rank) -%}
{{ rank }} < 1 or {{ too_many(rank) }}
{%- endmacro %}

{#- A rank that is whole and in range. -#}
{% macro countable(rank) -%}
case when not ({{ out_of_range(rank) }}) and {{ rank }} = floor({{ rank }}) then {{ rank }} end
{%- endmacro %}

{#- Whether the numbers of retrieved documents that the rows of a query tell are none. -#}
{% macro impossible_num_ret(least, most, last_rank) -%}
{{ most }} < {{ last_rank }} or {{ least }} < 0 or {{ too_many(most) }} or {{ most }} <> floor({{ most }})
{%- endmacro %}

{% macro relevant(rel) -%}
d.relevance >= {{ rel }}
{%- endmacro %}

{% macro graded() -%}
d.relevance >= 0
{%- endmacro %}

{% macro nonrelevant(rel) -%}
{{ graded() }} and d.relevance < {{ rel }}
{%- endmacro %}

{#- The smaller of two numbers; `a` may be a cutoff that is not there. -#}
{% macro smaller(a, b) -%}
{%- if a is none -%} {{ b }}
{%- else -%} case when {{ a }} < {{ b }} then {{ a }} else {{ b }} end
{%- endif -%}
{%- endmacro %}

{% macro larger(a, b) -%}
case when {{ a }} > {{ b }} then {{ a }} else {{ b }} end
{%- endmacro %}

{#- A share of a number of documents as a number of documents: rounded, or by trec_eval 9 all but rounded up. -#}
{% macro share_of(number, share, rounding) -%}
floor({{ share }} * {{ number }} + {% if rounding is symbol %}case {{ rounding }} when 'te9' then 0.9e0 else 0.5e0 end{% else %}{{ "0.9e0" if rounding == "te9" else "0.5e0" }}{% endif %})
{%- endmacro %}

{% macro summed_precision(relevant_so_far, k, rel) -%}
sum(case when {{ in_top(k) }} and {{ relevant(rel) }} then {{ relevant_so_far }} / d.rank else 0e0 end)
{%- endmacro %}

{#- Precision is largest at relevant documents. -#}
{% macro largest_precision(relevant_so_far, least, rel) -%}
max(case when {{ in_top(none) }} and {{ relevant(rel) }} and {{ relevant_so_far }} >= {{ least }} then {{ relevant_so_far }} / d.rank else 0e0 end)
{%- endmacro %}

{#- The probability that a reader who goes on with probability p comes to the rank of a document. -#}
{% macro reader_at(p, rank="d.rank") -%}
power({{ p }}, {{ rank }} - 1)
{%- endmacro %}

{% macro discounted_gain(rank, k, gain, discount, level) -%}
sum(case when {{ in_top(k, rank) }} and {{ gaining(level, "d.relevance") }} then {{ gain_of("d.relevance", gain) }} / {{ discounted_by(discount, rank) }} else 0e0 end)
{%- endmacro %}

{#- What a document gains by its grade, as measures with these parameters count it. -#}
{% macro gain_of_document(rel=none, gain="linear", max_grade=none, level=none) -%}
{%- if max_grade is not none -%} {{ satisfies("d.relevance", max_grade, gain) }}
{%- elif rel is not none -%} case when {{ relevant(rel) }} then 1e0 else 0e0 end
{%- else -%} case when {{ gaining(level, "d.relevance") }} then {{ gain_of("d.relevance", gain) }} else 0e0 end
{%- endif -%}
{%- endmacro %}

{#- A probability that rests on the largest grade of the scale has no meaning above it. -#}
{% macro on_scale(max_grade) -%}
case when max(d.relevance) > {{ max_grade }} then {{ error("a grade is larger than max_grade: give the largest grade of the scale") }} else {{ caller() }} end
{%- endmacro %}

{#- Tied places: one row per place of a query, with `rank`; documents at one rank share their places, in any order. -#}

{#- The probability that the document at a place is relevant. -#}
{% macro relevant_in_the_mean() -%}
d.relevant_tied / d.num_tied
{%- endmacro %}

{#- The probability that the first relevant document of the ranking is at a place. -#}
{% macro first_relevant(none_relevant_above) -%}
{{ none_relevant_above }} * d.relevant_tied / (d.num_tied - d.above_in_tie)
{%- endmacro %}

{#- Relevant documents in the top k, expected. -#}
{% macro expected_num_rel_ret(k) -%}
sum(case when {{ in_top(k) }} then {{ relevant_in_the_mean() }} else 0e0 end)
{%- endmacro %}

{#- Ranks: one row per rank from 1 to k, with its `gain` from 0 to 1. -#}

{#- The gain of a rank at which the reader is, expected. -#}
{% macro expected_utility(viewed, k) -%}
sum(case when d.rank <= {{ k }} then {{ viewed }} * d.gain else 0e0 end) / sum(case when d.rank <= {{ k }} then {{ viewed }} else 0e0 end)
{%- endmacro %}

{#- Depths: one row per depth of two rankings, with `overlap`, the number of documents that both hold down to it. -#}

{% macro weighted_by_depth(value, p) -%}
sum({{ value }} * power({{ p }}, d.depth - 1))
{%- endmacro %}

{% macro if_normalized(normalize, value, other) -%}
{%- if normalize is symbol -%} case {{ normalize }} when 'true' then {{ value }} else {{ other }} end
{%- else -%} {{ value if normalize == "true" else other }}
{%- endif -%}
{%- endmacro %}

{#- Places: one row per document and place: its rank with its `gain`, its place in the ideal ranking with its `ideal_gain`, which
    there `ends_grade` or not. -#}

{% macro gain_discounted(gain) -%}
sum({{ gain }} / log2(d.position + 1))
{%- endmacro %}

{#- Whether the ranking is longer than the ideal one by two documents or more. -#}
{% macro one_if_longer() -%}
case when max(d.num_ret) >= sum(case when d.ideal_gain > 0 then 1e0 else 0e0 end) + 2 then 1e0 else 0e0 end
{%- endmacro %}

{#- Coverage and subtopics: one row per document and subtopic that it covers, with `rank` and `subtopic`, of subtopics also with
    `ideal_rank` (place in the greedy ideal). -#}

{% macro num_subtopics() -%}
count(distinct d.subtopic)
{%- endmacro %}

{% macro by_log(rank) -%}
1e0 / log2({{ rank }} + 1)
{%- endmacro %}

{% macro by_rank(rank) -%}
1e0 / {{ rank }}
{%- endmacro %}

{#- What the rows of the top k gain, each less for the documents above that cover its subtopic, and by a discount of its rank. -#}
{% macro novelty(rank, covered_before, k, alpha, discount) -%}
sum(case when {{ in_top(k, rank) }} then power(1e0 - {{ alpha }}, {{ covered_before }}) * {{ discount }} else 0e0 end)
{%- endmacro %}

{#- The same if each document covers each subtopic, for one subtopic; the discount is of n.rank. -#}
{% macro largest_novelty(k, alpha, discount) -%}
(select sum(power(1e0 - {{ alpha }}, n.rank - 1) * {{ discount }}) from ({{ numbers(k) }}) as n)
{%- endmacro %}

{#- Two rankings: `rank_a` and `rank_b`. -#}

{% macro in_both(k, row="d") -%}
{%- if k is none -%} {{ row }}.rank_a is not null and {{ row }}.rank_b is not null
{%- else -%} {{ in_top(k, row ~ ".rank_a") }} and {{ in_top(k, row ~ ".rank_b") }}
{%- endif -%}
{%- endmacro %}

{#- All documents of two rankings, with the ranks in the top k. -#}
{% macro in_tops(k) -%}
select
    {{ key("p") }},
    case when {{ in_top(k, "p.rank_a") }} then {{ possible("p.rank_a") }} end as rank_a,
    case when {{ in_top(k, "p.rank_b") }} then {{ possible("p.rank_b") }} end as rank_b
from __ltr_paired as p
{%- endmacro %}

{#- Ranks in two rankings may be shared, and averages of places. -#}
{% macro possible(rank) -%}
case when {{ out_of_range(rank) }} then {{ error("ranks of pairs must be numbers from 1") }} else {{ rank }} end
{%- endmacro %}

{#- Lists: one row per document of either top k. -#}

{% macro num_both() -%}
sum(case when {{ in_both(none) }} then 1e0 else 0e0 end)
{%- endmacro %}

{#- How far down rankings are compared: to the cutoff, or to the end of the longer one. -#}
{% macro depth_of(k, last_rank) -%}
{%- if k is none -%} {{ last_rank }}
{%- elif k is symbol -%} coalesce({{ k }}, {{ last_rank }})
{%- else -%} {{ k }}
{%- endif -%}
{%- endmacro %}

{#- How many documents two top lists have, in the mean of both: what is missing to the depth counts, and so do ties beyond it. -#}
{% macro size_of_tops(depth, size_a, size_b) -%}
(({{ larger(depth, size_a) }} + {{ larger(depth, size_b) }}) / 2e0)
{%- endmacro %}

{#- 1 / from + ... + 1 / to. -#}
{% macro reciprocals(from, to) -%}
({{ harmonic(to) }} - ({{ harmonic("(" ~ from ~ " - 1)") }}))
{%- endmacro %}

{#- 1 + 1 / 2 + ... + 1 / n without Euler's constant, by his summation: of 1 / (n + 17) and on there is a series, which ends
    below the precision of a double. -#}
{% macro harmonic(n) -%}
{%- set middle = "(" ~ n ~ " + 16.5e0)" -%}
ln({{ middle }}) + 1 / (24 * power({{ middle }}, 2)) - 7 / (960 * power({{ middle }}, 4)) + 31 / (8064 * power({{ middle }}, 6)) - 127 / (30720 * power({{ middle }}, 8))
{%- for j in range(1, 17) %} - 1e0 / ({{ n }} + {{ j }}){% endfor -%}
{%- endmacro %}

{#- Shared: one row per document of both top k. -#}

{#- n times the covariance of two average ranks: both have the mean (n + 1) / 2. -#}
{% macro rank_covariance(rank, other_rank) -%}
(sum({{ rank }} * {{ other_rank }}) - count(*) * power(count(*) + 1, 2) / 4)
{%- endmacro %}

{#- Pairs: one row per document of both top k, with its `inversions` and `above_b`, the documents above it in b. -#}

{#- A list goes by a number where that is faster: numbering all lists is work for one machine. -#}
{% macro list_of(row) -%}
{% if larger_before is none %}{{ key(row) }}{% else %}{{ row }}.list{% endif %}
{%- endmacro %}

{% macro num_pairs() -%} (count(*) * (count(*) - 1e0) / 2) {%- endmacro %}
{% macro discordant() -%} sum(d.inversions) {%- endmacro %}

{#- Each pair that a ranking orders has one document above the other. -#}
{% macro pairs_ordered(above) -%}
(1e0 * sum({{ above }}))
{%- endmacro %}

{% macro pairs_ordered_by_both(above_in_a, above_in_a_then_b) -%}
({{ pairs_ordered(above_in_a) }} + {{ pairs_ordered("d.above_b") }} - {{ pairs_ordered(above_in_a_then_b) }})
{%- endmacro %}

{#- Concordant pairs without the discordant ones. -#}
{% macro concordant_surplus(above_in_a, above_in_a_then_b) -%}
({{ pairs_ordered_by_both(above_in_a, above_in_a_then_b) }} - 2 * {{ discordant() }})
{%- endmacro %}

{#- A correlation is not defined where a ranking ties all documents. -#}
{% macro if_both_vary(value, by="rank") -%}
case when min(d.{{ by }}_a) < max(d.{{ by }}_a) and min(d.{{ by }}_b) < max(d.{{ by }}_b) then {{ value }} end
{%- endmacro %}

{#- Prefixes: one row per depth of two rankings. -#}

{#- The share that the prefix holds of the documents at its depth. -#}
{% macro seen(list) -%}
coalesce((d.depth - d.start_{{ list }} + 1) / (d.end_{{ list }} - d.start_{{ list }} + 1), 1e0)
{%- endmacro %}

{#- The documents that both prefixes hold, in the mean over the orders of documents that tie. -#}
{% macro overlap_in_the_mean() -%}
(d.whole + {{ seen("s") }} * d.partly_s + {{ seen("l") }} * d.partly_l + {{ seen("s") }} * {{ seen("l") }} * d.partly_both)
{%- endmacro %}

{#- The squares of the shares of all documents that a prefix holds, summed. -#}
{% macro squared_shares(list) -%}
coalesce(d.start_{{ list }} - 1 + power(d.depth - d.start_{{ list }} + 1, 2) / (d.end_{{ list }} - d.start_{{ list }} + 1), d.depth)
{%- endmacro %}

{% macro to_the_end_of_l(value, p) -%}
sum(case when d.depth <= d.length_l then {{ value }} * power({{ p }}, d.depth) else 0e0 end)
{%- endmacro %}
