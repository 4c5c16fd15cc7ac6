{#- Conditions that raise an error for rows that cannot be scored. Each row source validates its rows where it groups
    them, which costs no second read and which the engine cannot skip. Rows that no measure reads are left to sql/checks/. -#}

{#- Raise an error if ranks, grades or `num_ret` are invalid, else return true; duplicate ranks pass if `shared_ranks` is
    'true'. -#}
{% macro validate_ranks(rank, relevance, shared_ranks="false", num_ret=none) -%}
{%- set each = "count(" ~ countable(rank) ~ ")" -%}
{%- set once = "count(distinct " ~ countable(rank) ~ ")" -%}
case
    when count({{ rank }}) <> {% if shared_ranks == "true" %}{{ each }}{% elif shared_ranks == "false" %}{{ once }}{% else %}case when {{ shared_ranks }} then {{ each }} else {{ once }} end{% endif %}
    then {{ error("ranks must be whole numbers from 1 to 1,000,000,000, without duplicates in a query: rank by row_number(), and pass grouping columns such as system as keys (ltr.check_rankings shows the rows)") }}
    when max({{ relevance }}) > 1e100
    then {{ error("a grade is infinite or above 1e100: leave out such rows, or scale the grades down") }}
    {%- if num_ret %}
    when {{ impossible_num_ret("min(" ~ num_ret ~ ")", "max(" ~ num_ret ~ ")", "max(" ~ rank ~ ")") }}
    then {{ error("num_ret must be a whole number of documents from the largest rank of its query to 1,000,000,000: count the retrieved documents, or leave the column out (ltr.check_rankings shows the rows)") }}
    {%- endif %}
    else true
end
{%- endmacro %}

{#- True if the `num_ret` of a query is negative, not whole, too large, or below its last rank. -#}
{% macro impossible_num_ret(least, most, last_rank) -%}
{{ most }} < {{ last_rank }} or {{ least }} < 0 or {{ exceeds_limit(most) }} or {{ most }} <> floor({{ most }})
{%- endmacro %}

{#- Select the judged documents, plus one row per query with the number of retrieved documents. -#}
{% macro judged_and_counted(documents) -%}
(
    select
        {{ key("r") }},
        r.rank,
        r.relevance,
        r.num_ret
    from {{ documents }} as r
    where r.relevance is not null
    union all
    select
        {{ key("r") }},
        null as rank,
        null as relevance,
        max(coalesce(r.num_ret, r.rank)) as num_ret
    from {{ documents }} as r
    group by {{ key("r") }}
    having {{ validate_ranks("r.rank", "r.relevance", "true", "r.num_ret") | indent(4) }}
)
{%- endmacro %}

{#- Raise the error that a ranking contains a document more than once. -#}
{% macro reject_duplicate_document() -%}
{{ error("a document is in one ranking more than once: keep its best row, or pass grouping columns such as system as keys (ltr.check_run shows the rows)") }}
{%- endmacro %}

{#- Raise the error that a document is judged more than once for one query. -#}
{% macro reject_duplicate_judgment() -%}
{{ error("a document is judged more than once for one query: keep one grade, such as max(relevance) (ltr.check_run shows the rows)") }}
{%- endmacro %}

{#- Return the rank if it is whole and in range, else NULL. -#}
{% macro countable(rank) -%}
case when not ({{ out_of_range(rank) }}) and {{ rank }} = floor({{ rank }}) then {{ rank }} end
{%- endmacro %}

{#- Return the rank as an integer, or raise an error if it is not whole or out of range. -#}
{% macro whole_rank(rank) -%}
case
    when {{ rank }} is null then null
    when {{ countable(rank) }} is not null then cast({{ countable(rank) }} as bigint)
    else {{ error("ranks must be whole numbers from 1 to 1,000,000,000 (ltr.check_run and ltr.check_rankings show the rows)") }}
end
{%- endmacro %}

{#- Raise an error unless each document has one rank, and one row per subtopic, else return true. -#}
{% macro validate_covers(row) -%}
case
    when count(distinct {{ countable(row ~ ".rank") }}) <> count(distinct case when {{ row }}.rank is not null then {{ row }}.doc_id end)
        or count(distinct case when {{ row }}.rank is null then {{ row }}.doc_id end) + count(distinct case when {{ row }}.rank is not null then {{ row }}.doc_id end) <> count(distinct {{ row }}.doc_id)
        or count({{ row }}.rank) <> count({{ countable(row ~ ".rank") }})
    then {{ error("ranks must be whole numbers from 1 to 1,000,000,000, one for each document of a query: rank by row_number(), and pass grouping columns such as system as keys (ltr.check_rankings shows the rows)") }}
    when count(*) <> count(distinct cast(length({{ doc_id_of(row) }}) as {{ text_type }}) || ' ' || {{ doc_id_of(row) }} || cast({{ row }}.subtopic as {{ text_type }}))
    then {{ error("a document covers a subtopic more than once in a query: keep one row for each (ltr.check_rankings shows the rows)") }}
    else true
end
{%- endmacro %}

{#- Raise an error if a document of both rankings lacks a score, or has one above 1e100, else return true. -#}
{% macro validate_scores(row) -%}
case
    when count({{ row }}.score_a) <> count(*) or count({{ row }}.score_b) <> count(*)
    then {{ error("each document of both rankings needs a number in score_a and score_b: ltr.pair reads them from a column score of each run") }}
    when max(abs({{ row }}.score_a)) > 1e100 or max(abs({{ row }}.score_b)) > 1e100
    then {{ error("a score is infinite or above 1e100: leave out such rows, or scale the scores down") }}
    else true
end
{%- endmacro %}
