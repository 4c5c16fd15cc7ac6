{#- Conditions that raise an error for rows that cannot be scored. Each row source validates its rows where it groups
    them. This validation needs no second read, and the engine cannot skip it. Rows that no measure reads are
    examined only by sql/findings/ and, in Python, by validation/quick_check.sql and validated_queries.sql.
    Each macro of this file is also a macro of DuckDB, ltr.__ltr_NAME. The macros of measures call it. -#}

{#- Raise an error if ranks or grades are invalid, else return true; duplicate ranks pass if `shared_ranks` is 'true'. -#}
{% macro validate_ranks(rank, relevance, shared_ranks) -%}
{%- set each = "count(" ~ countable(rank) ~ ")" -%}
{%- set once = "count(distinct " ~ countable(rank) ~ ")" -%}
case
    when count({{ rank }}) <> {% if shared_ranks == "true" %}{{ each }}{% elif shared_ranks == "false" %}{{ once }}{% else %}case when {{ shared_ranks }}
        then {{ each }} else {{ once }} end{% endif %}
    then {{ error("ranks must be whole numbers from 1 to 1,000,000,000, without duplicates in a query: for ranks that "
        "count from 0, select rank + 1 as rank; for other ranks, rank by row_number(); if rankings of several systems are "
            "mixed, pass the column that names the system as keys (ltr.check_rankings shows the rows)") }}
    when max({{ relevance }}) > 1e100
    then {{ error("a grade is infinite or above 1e100: correct it, or scale the grades down") }}
    else true
end
{%- endmacro %}

{#- Raise an error if the number of retrieved documents is invalid, else return true. -#}
{% macro validate_num_ret(rank, num_ret) -%}
case
    when {{ impossible_num_ret("min(" ~ num_ret ~ ")", "max(" ~ num_ret ~ ")", "max(" ~ rank ~ ")") }}
    then {{ error("num_ret must be a whole number, at least the largest rank of its query and at most 1,000,000,000: "
        "count the retrieved documents, or leave the column out (ltr.check_rankings shows the rows)") }}
    else true
end
{%- endmacro %}

{#- Raise the error that a ranking contains a document more than once. -#}
{% macro reject_duplicate_document() -%}
{{ error("a document is in one ranking more than once: if its rows are chunks, group_documents makes one row of them; if "
    "they come from several systems, pass the column that names the system as keys (ltr.check_run and ltr.check_rankings show the rows)") }}
{%- endmacro %}

{#- Raise the error that a document is judged more than once for one query. -#}
{% macro reject_duplicate_judgment() -%}
{{ error("a document is judged more than once for one query: keep one grade, such as max(relevance) (ltr.check_run shows the rows)") }}
{%- endmacro %}

{#- Return the rank as an integer, or raise an error if it is fractional or out of range. -#}
{% macro whole_rank(rank) -%}
case
    when {{ rank }} is null then null
    when {{ countable(rank) }} is not null then cast({{ countable(rank) }} as bigint)
    else {{ error("ranks must be whole numbers from 1 to 1,000,000,000: for ranks that count from 0, select rank + 1 as "
        "rank (ltr.check_run and ltr.check_rankings show the rows)", "bigint") }}
end
{%- endmacro %}

{#- Return the rank of a row of a run as an integer, or raise an error if it is NULL or no valid rank. -#}
{% macro rank_in_run(rank) -%}
case
    when {{ rank }} is null
        then {{ error("a row of a run has no rank: remove the rows of documents that were not retrieved, or drop the column rank to rank by score", "bigint") }}
    else {{ whole_rank(rank) | indent(4) }}
end
{%- endmacro %}

{#- Return true if each document has at most one rank, and one row per subtopic. Otherwise raise an error. -#}
{% macro validate_covers(rank, doc_id, subtopic) -%}
case
    when count(distinct {{ countable(rank) }}) <> count(distinct case when {{ rank }} is not null then {{ doc_id }} end)
        or count(distinct case when {{ rank }} is null then {{ doc_id }} end)
            + count(distinct case when {{ rank }} is not null then {{ doc_id }} end) <> count(distinct {{ doc_id }})
        or count({{ rank }}) <> count({{ countable(rank) }})
    then {{ error("ranks must be whole numbers from 1 to 1,000,000,000, one for each document of a query: for ranks that "
        "count from 0, select rank + 1 as rank; for other ranks, rank by row_number(); if rankings of several systems are "
            "mixed, pass the column that names the system as keys (ltr.check_rankings shows the rows)") }}
    when count(*) <> count(distinct cast(length({{ text_of_id(doc_id) }}) as {{ text_type }}) || ' '
        || {{ text_of_id(doc_id) }} || cast({{ subtopic }} as {{ text_type }}))
    then {{ error("a document has more than one row for a subtopic of a query: keep one row per document and subtopic (ltr.check_rankings shows the rows)") }}
    else true
end
{%- endmacro %}

{#- Raise an error if a document of both rankings lacks a score, or has one above 1e100, else return true. -#}
{% macro validate_scores(score_a, score_b) -%}
case
    when count({{ score_a }}) <> count(*) or count({{ score_b }}) <> count(*)
    then {{ error("each document of both rankings needs a number in score_a and score_b: ltr.pair reads them from a column score of each run") }}
    when max(abs({{ score_a }})) > 1e100 or max(abs({{ score_b }})) > 1e100
    then {{ error("a score is infinite or above 1e100: correct it, or scale the scores down") }}
    else true
end
{%- endmacro %}
