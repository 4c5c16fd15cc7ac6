{#- The window columns that a base can carry, each over rows `r` of that base. A query computes those that its measures read. -#}

{#- Documents -#}

{% macro relevant_so_far(rel) -%}
sum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }} order by r.rank asc nulls last rows between unbounded preceding and current row)
{%- endmacro %}

{% macro nonrelevant_so_far(rel) -%}
sum(case when r.relevance >= 0 and r.relevance < {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }} order by r.rank asc nulls last rows between unbounded preceding and current row)
{%- endmacro %}

{% macro judged_so_far() -%}
sum(case when r.relevance is not null then 1e0 else 0e0 end) over (partition by {{ key("r") }} order by r.rank asc nulls last rows between unbounded preceding and current row)
{%- endmacro %}

{% macro relevant_of_query(rel) -%}
sum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }})
{%- endmacro %}

{% macro nonrelevant_of_query(rel) -%}
sum(case when r.relevance >= 0 and r.relevance < {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }})
{%- endmacro %}

{% macro ideal_rank() -%}
row_number() over (partition by {{ key("r") }} order by r.relevance desc nulls last)
{%- endmacro %}

{#- Documents of one grade share the first place that they take. -#}
{% macro shared_ideal_rank() -%}
rank() over (partition by {{ key("r") }} order by r.relevance desc nulls last)
{%- endmacro %}

{#- The rank at which the ideal ranking ends the documents of a grade. -#}
{% macro last_rank_of_grade() -%}
count(*) over (partition by {{ key("r") }} order by r.relevance desc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{#- Down to a rank, and at it: documents at one rank are tied. -#}
{% macro relevant_down_to(rel) -%}
sum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }} order by r.rank asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{% macro nonrelevant_down_to(rel) -%}
sum(case when r.relevance >= 0 and r.relevance < {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }} order by r.rank asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{% macro nonrelevant_at_rank(rel) -%}
sum(case when r.relevance >= 0 and r.relevance < {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }}, r.rank)
{%- endmacro %}

{% macro relevant_at_rank(rel) -%}
sum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }}, r.rank)
{%- endmacro %}

{% macro documents_at_rank() -%}
count(*) over (partition by {{ key("r") }}, r.rank)
{%- endmacro %}

{% macro retrieved_of_query() -%}
max(coalesce(r.num_ret, r.rank)) over (partition by {{ key("r") }})
{%- endmacro %}

{#- Grades: documents of lower grades beside those of one. -#}

{% macro lower_of_query() -%}
sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by {{ key("r") }}, r.grade)
{%- endmacro %}

{% macro lower_down_to() -%}
sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by {{ key("r") }}, r.grade order by r.rank asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{% macro lower_at_rank() -%}
sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by {{ key("r") }}, r.grade, r.rank)
{%- endmacro %}

{#- Ranks: the probability that a reader comes to a rank who goes on from each above with a probability, an expression
    over its rank, its gain and gain_so_far. The first two words are the column's name. -#}
{% macro viewed(measure, parameter=none, goes_on="") -%}
{{ product_above(goes_on) }}
{%- endmacro %}

{#- The probability that no document above satisfied the reader. -#}
{% macro not_satisfied_above(max_grade, gain) -%}
{{ product_above("1 - " ~ satisfies("r.relevance", max_grade, gain)) }}
{%- endmacro %}

{#- The product of a factor, from 0 to 1, over the rows above. 0 has no logarithm: it is taken for 1e-300. -#}
{% macro product_above(factor) -%}
exp(coalesce(sum(ln(case when {{ factor }} > 1e-300 then {{ factor }} else 1e-300 end)) over (partition by {{ key("r") }} order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0))
{%- endmacro %}

{#- Tied places -#}

{#- The documents that stand before one at its rank, in some order. -#}
{% macro above_in_tie() -%}
row_number() over (partition by {{ key("r") }} order by r.rank asc nulls last) - rank() over (partition by {{ key("r") }} order by r.rank asc nulls last)
{%- endmacro %}

{#- The gain that a place has in the mean over the orders of the documents that tie for it. -#}
{% macro mean_gain(gain, level) -%}
avg(case when {{ gaining(level, "r.relevance") }} then {{ gain_of("r.relevance", gain) }} else 0e0 end) over (partition by {{ key("r") }}, r.shared_rank)
{%- endmacro %}

{#- The probability that nothing above is relevant: one place after the other holds one of the documents that are left. -#}
{% macro none_relevant_above() -%}
{{ product_above("(r.num_tied - r.above_in_tie - r.relevant_tied) / (r.num_tied - r.above_in_tie)") }}
{%- endmacro %}

{#- Places: what both rankings hold down to a place, and at it. -#}

{% macro dcg_so_far() -%}
sum(r.gain / log2(r.position + 1)) over (partition by {{ key("r") }} order by r.position asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{% macro idcg_so_far() -%}
sum(r.ideal_gain / log2(r.position + 1)) over (partition by {{ key("r") }} order by r.position asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{#- What the ideal ranking has gained more than the ranking, where each of its documents gains 1 at least, less the place. -#}
{% macro shortfall_so_far() -%}
sum(case when r.ideal_gain > 1 then r.ideal_gain - 1 else 0e0 end - r.gain) over (partition by {{ key("r") }} order by r.position asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{#- Coverage and subtopics -#}

{% macro covered_before() -%}
row_number() over (partition by {{ key("r") }}, r.subtopic order by r.rank asc nulls last) - 1
{%- endmacro %}

{% macro documents_of_subtopic() -%}
count(*) over (partition by {{ key("r") }}, r.subtopic)
{%- endmacro %}

{% macro ideal_covered_before() -%}
row_number() over (partition by {{ key("r") }}, r.subtopic order by r.ideal_rank asc nulls last) - 1
{%- endmacro %}

{#- Lists -#}

{% macro last_rank() -%}
max(case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end) over (partition by {{ key("r") }})
{%- endmacro %}

{#- Shared: equal ranks share the mean of the places that they take. -#}

{% macro average_rank_a() -%}
{{ average_rank("r.rank_a") }}
{%- endmacro %}

{% macro average_rank_b() -%}
{{ average_rank("r.rank_b") }}
{%- endmacro %}

{% macro average_rank(rank) -%}
rank() over (partition by {{ key("r") }} order by {{ rank }} asc nulls last) + (count(*) over (partition by {{ key("r") }}, {{ rank }}) - 1) / 2e0
{%- endmacro %}

{#- Scores -#}

{% macro from_mean(value) -%}
{{ value }} - avg({{ value }}) over (partition by {{ key("r") }})
{%- endmacro %}

{% macro share_of_largest(value) -%}
{{ value }} / nullif(max(abs({{ value }})) over (partition by {{ key("r") }}), 0)
{%- endmacro %}

{#- Pairs: the documents above one, in a ranking, or in b where they tie in a. -#}

{% macro above_in_a() -%}
rank() over (partition by {{ list_of("r") }} order by r.rank_a asc nulls last) - 1
{%- endmacro %}

{% macro above_in_a_then_b() -%}
rank() over (partition by {{ list_of("r") }} order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1
{%- endmacro %}

{% macro above_in_a_tied_in_b() -%}
rank() over (partition by {{ list_of("r") }}, r.above_b order by r.rank_a asc nulls last) - 1
{%- endmacro %}

{#- One over the number of documents above, in the mean over the orders of the documents that tie. -#}
{% macro mean_reciprocal_above() -%}
avg(case when r.position_a > 1 then 1e0 / (r.position_a - 1) else 0e0 end) over (partition by {{ list_of("r") }}, r.rank_a)
{%- endmacro %}

{#- Weighted pairs: the other documents of the query, all or those that tie with one in a ranking: their number, or the sum of
    their weights, 1 / place in one of the rankings. -#}
{% macro others(counted_by, tied_in) -%}
{%- set weight = "1e0" if counted_by == "number" else "1e0 / r." ~ counted_by -%}
{%- set ties = {"none": "", "both": ", r.rank_a, r.above_b"}.get(tied_in, ", r." ~ tied_in) -%}
sum({{ weight }}) over (partition by {{ list_of("r") }}{{ ties }}) - {{ weight }}
{%- endmacro %}
