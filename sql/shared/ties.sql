{#- The order of a ranking made from scores: best score first; `ties` says what comes first among equal scores.
    `row` has score, doc_id, relevance, row_order and rank, as far as the tie rule reads them. -#}
{% macro best_first(row, ties) -%}
{%- if ties is symbol -%}
case when {{ ties }} = 'docid_desc_float32' then {{ single_precision(row ~ ".score") }} else {{ row }}.score end desc nulls last,
case {{ ties }}
    when 'worst' then coalesce({{ row }}.relevance, 0)
    when 'best' then -coalesce({{ row }}.relevance, 0)
    when 'row_order' then {{ row }}.row_order
    when 'rank' then {{ row }}.rank
end asc nulls last,
case when {{ ties }} = 'docid_asc' then {{ doc_id_of(row) }} end asc nulls last,
case when {{ ties }} <> 'expected' then {{ doc_id_of(row) }} end desc nulls last
{%- elif ties == "expected" -%}
{{ score_under(ties, row) }} desc nulls last
{%- else -%}
{{ score_under(ties, row) }} desc nulls last,
{% if ties == "worst" -%} coalesce({{ row }}.relevance, 0) asc nulls last,
{% elif ties == "best" -%} coalesce({{ row }}.relevance, 0) desc nulls last,
{% elif ties == "row_order" -%} {{ row }}.row_order asc nulls last,
{% elif ties == "rank" -%} {{ row }}.rank asc nulls last,
{% endif -%}
{{ doc_id_of(row) }} {{ "asc" if ties == "docid_asc" else "desc" }} nulls last
{%- endif -%}
{%- endmacro %}

{#- A tie rule without its column would silently be another one. -#}
{% macro has_tie_column(row, present, ties) -%}
case
    when {{ ties }} = 'row_order' and {{ row }}.row_order is null or {{ ties }} = 'rank' and {{ row }}.rank is null
    then {{ error("ties := 'row_order' and ties := 'rank' need a number in the column of that name in each row") }}
    {%- if present %}
    when {{ ties }} in ('worst', 'best') and not list_contains({{ present }}, 'relevance')
    then {{ error("ties := 'worst' and ties := 'best' need a column relevance") }}
    {%- endif %}
    else true
end
{%- endmacro %}

{#- The score as a tie rule compares it. -#}
{% macro score_under(ties, row) -%}
{{ single_precision(row ~ ".score") if ties == "docid_desc_float32" else row ~ ".score" }}
{%- endmacro %}

{#- What is not comparable has no place in a ranking: a condition on the rows that one is made of. NaN is above infinity. -#}
{% macro validate_score(score) -%}
case
    when {{ score }} <= cast('inf' as double) then true
    else {{ error("a score is NULL or NaN: leave the row out if the document was not retrieved, or give it a score (ltr.check_run shows the rows)") }}
end
{%- endmacro %}

{#- Scores that single precision cannot hold are infinite in it. -#}
{% macro single_precision(score) -%}
case when abs({{ score }}) > 3.4028234663852886e38 then {{ score }} * cast('inf' as double) else cast({{ score }} as float) end
{%- endmacro %}

{#- Ids are compared by their bytes, as text. -#}
{% macro doc_id_of(row) -%}
{{ text_of_id(row ~ ".doc_id") }}
{%- endmacro %}

{% macro text_of_id(id) -%}
cast({{ id }} as {{ text_type }})
{%- endmacro %}

{#- Rows that even the tie rule leaves equal have no order, and their measures no value: that is an error, but where they are
    to share the first of the ranks that they take. -#}
{% macro rank_by_score(ties) -%}
{%- set shared = "rank() over __ltr_best_first" -%}
{%- set alone = ordered(shared ~ " = row_number() over __ltr_best_first", "row_number() over __ltr_best_first") -%}
{%- if ties is symbol -%} case when {{ ties }} = 'expected' then {{ shared }} else {{ alone }} end
{%- else -%} {{ shared if ties == "expected" else alone }}
{%- endif -%}
{%- endmacro %}

{% macro ordered(condition, rank) -%}
case
    when {{ condition }} then {{ rank }}
    else {{ error("two rows of a query have the same score and nothing that orders them: give every document its own doc_id, or a row_order and ties := 'row_order'") }}
end
{%- endmacro %}
