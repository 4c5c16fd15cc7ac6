{#- Conditions that stop a query over rows that cannot be scored. Each row source validates the rows that it groups, so that
    nothing is read twice and the engine cannot skip the check. The findings (checks/) cover what no measure reads.
    Each macro of this file is also a macro of DuckDB, ltr.__ltr_NAME, which the macros of measures call. -#}

{#- Whether the documents of a query have ranks that can be counted with. `shared_ranks` is 'true' for measures that take
    documents at one rank as tied. -#}
{% macro validate_ranks(rank, relevance, shared_ranks, num_ret) -%}
{%- set each = "count(" ~ countable(rank) ~ ")" -%}
{%- set once = "count(distinct " ~ countable(rank) ~ ")" -%}
case
    when count({{ rank }}) <> {% if shared_ranks == "true" %}{{ each }}{% elif shared_ranks == "false" %}{{ once }}{% else %}case when {{ shared_ranks }} then {{ each }} else {{ once }} end{% endif %}
    then {{ error("ranks must be whole numbers from 1 to 1,000,000,000, each once in a query: rank by row_number(), and name the columns that tell rankings apart as keys (ltr.check_rankings shows the rows)") }}
    when max({{ relevance }}) > 1e100
    then {{ error("a grade is infinite or too large to be added up: leave out such rows, or scale the grades down") }}
    {%- if num_ret %}
    when {{ impossible_num_ret("min(" ~ num_ret ~ ")", "max(" ~ num_ret ~ ")", "max(" ~ rank ~ ")") }}
    then {{ error("num_ret is no number of documents: it must be whole, and no less than the largest rank of its query (ltr.check_rankings shows the rows)") }}
    {%- endif %}
    else true
end
{%- endmacro %}

{#- What a document is credited twice for. -#}
{% macro reject_duplicate_document() -%}
{{ error("a document is in one ranking more than once: keep its best row, or name the columns that tell rankings apart as keys (ltr.check_run shows the rows)") }}
{%- endmacro %}

{% macro reject_duplicate_judgment() -%}
{{ error("a document is judged more than once for one query: keep one grade, such as max(relevance) (ltr.check_run shows the rows)") }}
{%- endmacro %}

{#- A rank as the caller gave it, if it can be one. -#}
{% macro whole_rank(rank) -%}
case
    when {{ rank }} is null then null
    when {{ countable(rank) }} is not null then cast({{ countable(rank) }} as bigint)
    else {{ error("ranks must be whole numbers from 1 to 1,000,000,000 (ltr.check_run and ltr.check_rankings show the rows)") }}
end
{%- endmacro %}

{#- Whether rows of documents and subtopics can be counted with: a document has one rank, and each subtopic once. -#}
{% macro validate_covers(rank, doc_id, subtopic) -%}
case
    when count(distinct {{ countable(rank) }}) <> count(distinct case when {{ rank }} is not null then {{ doc_id }} end)
        or count(distinct case when {{ rank }} is null then {{ doc_id }} end) + count(distinct case when {{ rank }} is not null then {{ doc_id }} end) <> count(distinct {{ doc_id }})
        or count({{ rank }}) <> count({{ countable(rank) }})
    then {{ error("ranks must be whole numbers from 1 to 1,000,000,000, one for each document of a query: rank by row_number(), and name the columns that tell rankings apart as keys (ltr.check_rankings shows the rows)") }}
    when count(*) <> count(distinct cast(length({{ text_of_id(doc_id) }}) as {{ text_type }}) || ' ' || {{ text_of_id(doc_id) }} || cast({{ subtopic }} as {{ text_type }}))
    then {{ error("a document covers a subtopic more than once in a query: keep one row for each (ltr.check_rankings shows the rows)") }}
    else true
end
{%- endmacro %}

{#- Whether the documents of both rankings have scores that can be correlated. -#}
{% macro validate_scores(score_a, score_b) -%}
case
    when count({{ score_a }}) <> count(*) or count({{ score_b }}) <> count(*)
    then {{ error("scores are compared: each document of both rankings needs a number as score_a and as score_b, which ltr.pair takes from a column score of the runs") }}
    when max(abs({{ score_a }})) > 1e100 or max(abs({{ score_b }})) > 1e100
    then {{ error("a score is infinite or too large to be added up: leave out such rows, or scale the scores down") }}
    else true
end
{%- endmacro %}
