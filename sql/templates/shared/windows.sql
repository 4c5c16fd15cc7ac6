{#- Window columns over the rows `r` of a row source. A query computes the window columns that its measures read, and no
    others. -#}

{#- Row source `documents`. -#}

{#- Count the relevant documents down to this row, in rank order. -#}
{% macro relevant_so_far(rel) -%}
sum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end)
    over (partition by {{ key("r") }} order by r.rank asc nulls last rows between unbounded preceding and current row)
{%- endmacro %}

{#- Like `relevant_so_far`, for rows that are stored query by query in rank order, so that the window needs no sort. The
    column `earlier` counts the relevant documents of all earlier queries. -#}
{% macro relevant_in_stored_order(rel, earlier) -%}
sum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end) over (rows between unbounded preceding and current row) - r.{{ earlier }}
{%- endmacro %}

{#- Count the judged nonrelevant documents down to this row, in rank order. -#}
{% macro nonrelevant_so_far(rel) -%}
sum(case when r.relevance >= 0 and r.relevance < {{ rel }} then 1e0 else 0e0 end)
    over (partition by {{ key("r") }} order by r.rank asc nulls last rows between unbounded preceding and current row)
{%- endmacro %}

{#- Count the judged documents down to this row, in rank order; a negative grade counts as judged. -#}
{% macro judged_so_far() -%}
sum(case when r.relevance is not null then 1e0 else 0e0 end)
    over (partition by {{ key("r") }} order by r.rank asc nulls last rows between unbounded preceding and current row)
{%- endmacro %}

{#- Count the relevant documents of the query, retrieved or not. -#}
{% macro relevant_of_query(rel) -%}
sum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }})
{%- endmacro %}

{#- Count the judged nonrelevant documents of the query, retrieved or not. -#}
{% macro nonrelevant_of_query(rel) -%}
sum(case when r.relevance >= 0 and r.relevance < {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }})
{%- endmacro %}

{#- Return the position of the document in the ideal ranking, which sorts by descending grade. -#}
{% macro ideal_rank() -%}
row_number() over (partition by {{ key("r") }} order by r.relevance desc nulls last)
{%- endmacro %}

{#- Return the rank of the document in the ideal ranking, where documents of one grade share a rank. -#}
{% macro shared_ideal_rank() -%}
rank() over (partition by {{ key("r") }} order by r.relevance desc nulls last)
{%- endmacro %}

{#- Return the last position of the document's grade in the ideal ranking. -#}
{% macro last_rank_of_grade() -%}
count(*) over (partition by {{ key("r") }} order by r.relevance desc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{#- Count the relevant documents at this rank or above, tied documents included. -#}
{% macro relevant_through_rank(rel) -%}
sum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end)
    over (partition by {{ key("r") }} order by r.rank asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{#- Count the judged nonrelevant documents at this rank or above, tied documents included. -#}
{% macro nonrelevant_through_rank(rel) -%}
sum(case when r.relevance >= 0 and r.relevance < {{ rel }} then 1e0 else 0e0 end)
    over (partition by {{ key("r") }} order by r.rank asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{#- Count the judged nonrelevant documents that share this rank. -#}
{% macro nonrelevant_at_rank(rel) -%}
sum(case when r.relevance >= 0 and r.relevance < {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }}, r.rank)
{%- endmacro %}

{#- Count the relevant documents that share this rank. -#}
{% macro relevant_at_rank(rel) -%}
sum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }}, r.rank)
{%- endmacro %}

{#- Count the documents that share this rank. -#}
{% macro documents_at_rank() -%}
count(*) over (partition by {{ key("r") }}, r.rank)
{%- endmacro %}

{#- Count the retrieved documents of the query: `num_ret`, or the largest rank. -#}
{% macro retrieved_of_query() -%}
max(coalesce(r.num_ret, r.rank)) over (partition by {{ key("r") }})
{%- endmacro %}

{#- Row source `levels`. -#}

{#- Count the retrieved documents at or above the row's `level`, down to this rank. -#}
{% macro found_so_far() -%}
count(r.rank) over (partition by {{ key("r") }}, r.level order by r.rank asc nulls last rows between unbounded preceding and current row)
{%- endmacro %}

{#- Row source `grades`: one row for each retrieved document and each `grade` that is not below its own. -#}

{#- Count the retrieved documents of the query with a grade below the row's `grade`. -#}
{% macro lower_grades_of_query() -%}
sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by {{ key("r") }}, r.grade)
{%- endmacro %}

{#- Count the documents with a grade below the row's `grade` at this rank or above. -#}
{% macro lower_grades_through_rank() -%}
sum(case when r.relevance < r.grade then 1e0 else 0e0 end)
    over (partition by {{ key("r") }}, r.grade order by r.rank asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{#- Count the documents with a grade below the row's `grade` that share this rank. -#}
{% macro lower_grades_at_rank() -%}
sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by {{ key("r") }}, r.grade, r.rank)
{%- endmacro %}

{#- Row source `ranks`, and `documents` for the probabilities of satisfaction. -#}

{#- Probability that the user views a rank: the product of the continuation probabilities of the ranks above. -#}
{% macro view_probability(measure, parameter=none, continuation="") -%}
{#- `continuation` is an expression over r.rank, r.gain and r.gain_so_far; `measure` and `parameter` name the column. -#}
{{ product_above(continuation) }}
{%- endmacro %}

{#- Probability that no document above satisfies the user. -#}
{% macro not_satisfied_above(max_grade, gain) -%}
{{ product_above("1 - " ~ satisfaction("r.relevance", max_grade, gain)) }}
{%- endmacro %}

{#- Multiply a factor from 0 to 1 over the rows above, as a sum of logarithms; a factor below 1e-300 counts as 1e-300. -#}
{% macro product_above(factor) -%}
exp(coalesce(sum(ln(case when {{ factor }} > 1e-300 then {{ factor }} else 1e-300 end))
    over (partition by {{ key("r") }} order by r.rank asc nulls last rows between unbounded preceding and 1 preceding),
    0))
{%- endmacro %}

{#- Row source `tied_positions`. -#}

{#- Count the documents at this rank that precede this document in an arbitrary order. -#}
{% macro above_in_tie() -%}
row_number() over (partition by {{ key("r") }} order by r.rank asc nulls last) - rank() over (partition by {{ key("r") }} order by r.rank asc nulls last)
{%- endmacro %}

{#- Return the expected gain at a position, over all orders of tied documents. -#}
{% macro expected_gain(gain, level) -%}
avg(case when {{ has_gain(level, "r.relevance") }} then {{ gain_of("r.relevance", gain) }} else 0e0 end) over (partition by {{ key("r") }}, r.shared_rank)
{%- endmacro %}

{#- Probability that no document above this position is relevant, over all orders of tied documents. -#}
{% macro none_relevant_above() -%}
{{ product_above("(r.num_tied - r.above_in_tie - r.relevant_tied) / (r.num_tied - r.above_in_tie)") }}
{%- endmacro %}

{#- Row source `gain_positions`. -#}

{#- Return the DCG of the ranking down to this position. -#}
{% macro dcg_so_far() -%}
sum(r.gain / log2(r.position + 1)) over (partition by {{ key("r") }} order by r.position asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{#- Return the DCG of the ideal ranking down to this position. -#}
{% macro idcg_so_far() -%}
sum(r.ideal_gain / log2(r.position + 1)) over (partition by {{ key("r") }} order by r.position asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{#- Sum max(ideal gain - 1, 0) - gain down to this position. -#}
{% macro shortfall_so_far() -%}
sum(case when r.ideal_gain > 1 then r.ideal_gain - 1 else 0e0 end - r.gain)
    over (partition by {{ key("r") }} order by r.position asc nulls last range between unbounded preceding and current row)
{%- endmacro %}

{#- Row sources `coverage` and `subtopics`. -#}

{#- Count the higher-ranked documents that cover the row's subtopic. -#}
{% macro times_covered_above() -%}
row_number() over (partition by {{ key("r") }}, r.subtopic order by r.rank asc nulls last) - 1
{%- endmacro %}

{#- Count the documents that cover the row's subtopic, retrieved or not. -#}
{% macro documents_of_subtopic() -%}
count(*) over (partition by {{ key("r") }}, r.subtopic)
{%- endmacro %}

{#- Count the documents that cover the row's subtopic and precede its document in the greedy ideal ranking. -#}
{% macro times_covered_above_in_ideal() -%}
row_number() over (partition by {{ key("r") }}, r.subtopic order by r.ideal_rank asc nulls last) - 1
{%- endmacro %}

{#- Row sources `depth_overlap` and `either_documents`. -#}

{#- Return the largest rank in the two rankings. -#}
{% macro last_rank() -%}
max(case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end) over (partition by {{ key("r") }})
{%- endmacro %}

{#- Row source `common_documents`. -#}

{#- Return the average rank of the document in ranking a. -#}
{% macro average_rank_a() -%}
{{ average_rank("r.rank_a") }}
{%- endmacro %}

{#- Return the average rank of the document in ranking b. -#}
{% macro average_rank_b() -%}
{{ average_rank("r.rank_b") }}
{%- endmacro %}

{#- Return the average rank of the document: tied documents share the mean of their positions. -#}
{% macro average_rank(rank) -%}
rank() over (partition by {{ key("r") }} order by {{ rank }} asc nulls last) + (count(*) over (partition by {{ key("r") }}, {{ rank }}) - 1) / 2e0
{%- endmacro %}

{#- Row source `scores`. -#}

{#- Subtract the mean of the query from a value. -#}
{% macro deviation_from_mean(value) -%}
{{ value }} - avg({{ value }}) over (partition by {{ key("r") }})
{%- endmacro %}

{#- Divide a value by the largest absolute value of the query. -#}
{% macro share_of_largest(value) -%}
{{ value }} / nullif(max(abs({{ value }})) over (partition by {{ key("r") }}), 0)
{%- endmacro %}

{#- Row sources `pairs`, `all_pairs` and `positioned_pairs`. -#}

{#- Count the documents above this one in ranking a. -#}
{% macro above_in_a() -%}
rank() over (partition by {{ list_key("r") }} order by r.rank_a asc nulls last) - 1
{%- endmacro %}

{#- Count the documents above this one in ranking a, or tied with it in a and above it in ranking b. -#}
{% macro above_in_a_then_b() -%}
rank() over (partition by {{ list_key("r") }} order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1
{%- endmacro %}

{#- Count the documents above this one in ranking a that are tied with it in ranking b. -#}
{% macro above_in_a_tied_in_b() -%}
rank() over (partition by {{ list_key("r") }}, r.above_b order by r.rank_a asc nulls last) - 1
{%- endmacro %}

{#- Return 1 / (number of documents above in ranking a), averaged over all orders of tied documents; 0 at the first
    position. -#}
{% macro mean_reciprocal_above() -%}
avg(case when r.position_a > 1 then 1e0 / (r.position_a - 1) else 0e0 end) over (partition by {{ list_key("r") }}, r.rank_a)
{%- endmacro %}

{#- Row source `weighted_pairs`. -#}

{#- Sum the weights of the query's other documents, or only of those tied with this one; a weight is 1, or 1 / position in
    the ranking that `counted_by` names. -#}
{% macro weight_of_others(counted_by, tied_in) -%}
{%- set weight = "1e0" if counted_by == "number" else "1e0 / r." ~ counted_by -%}
{%- set ties = {"none": "", "both": ", r.rank_a, r.above_b"}.get(tied_in, ", r." ~ tied_in) -%}
sum({{ weight }}) over (partition by {{ list_key("r") }}{{ ties }}) - {{ weight }}
{%- endmacro %}

{#- Row source `shown_documents`. -#}

{#- Return the position of the document by ascending number of lists that show it, among the documents that count. -#}
{% macro position_by_shown(universe) -%}
row_number()
    over (partition by {{ run_of("r") }}, {{ choose(universe, {"documents": "r.in_catalogue", "shown": "r.shown > 0"}) }} order by r.shown asc nulls last)
{%- endmacro %}

{#- Row source `sampled`. -#}

{#- Infer the number of relevant documents above this row, without those at its rank. -#}
{% macro inferred_above() -%}
sum(r.step)
    over (partition by {{ key("r") }} order by r.rank asc nulls last range between unbounded preceding and current row)
    - sum(r.step) over (partition by {{ key("r") }}, r.rank)
{%- endmacro %}
