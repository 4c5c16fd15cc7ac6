{#- SQL that the findings in sql/findings/ share. -#}

{#- Return the number of offending rows, and the first three of them as text. -#}
{% macro count_and_first_rows(text) -%}
count(*) as how_many,
    list_aggregate(min({{ text }}, 3), 'string_agg', '; ') as first_rows
{%- endmacro %}

{#- Return the number of offending queries, and the first three of them as text. A query may be in several rows `f`: one for each system, or
    for each combination of other keys. Their number then precedes the text. -#}
{% macro count_queries_and_first_rows() -%}
count(distinct f.query_id) as how_many,
    case
        when count(distinct f.keys) <= 1 then ''
        when bool_and(starts_with(f.keys, '{''system'': ') and not contains(f.keys, ', ''')) then 'in ' || count(distinct f.keys) || ' systems, such as '
        else 'in ' || count(distinct f.keys) || ' groups, such as '
    end || list_aggregate(min({{ row_text("f", "query_id") }}, 3), 'string_agg', '; ') as first_rows
{%- endmacro %}

{#- Return the text of a struct as name=value, name=value. Its values in quotation marks stay as they are. -#}
{% macro fields_text(fields) -%}
regexp_replace(substr({{ fields }}, 2, length({{ fields }}) - 2), '(^|, )''((?:[^''\\]|\\.)*)'': ', '\1\2=', 'g')
{%- endmacro %}

{#- Return a row as text: its grouping columns, and the named columns as name=value. -#}
{% macro row_text(row) -%}
concat_ws(', ', {{ fields_text(row ~ ".keys") }}
{%- for name in varargs %}, {% if name.endswith("_id") %}'{{ name }}='
    || coalesce({{ row }}.{{ name }}, 'NULL'){% elif name.endswith("_text") %}'{{ name.removesuffix("_text") }}='
    || coalesce({{ row }}.{{ name }}, 'NULL'){% else %}'{{ name }}=' || {{ row }}.{{ name }}{% endif %}{% endfor -%}
)
{%- endmacro %}

{#- True if a row has a NULL in its column query_id or doc_id. -#}
{% macro lacks_id(row) -%}
(list_contains({{ row }}.names, 'query_id') and {{ row }}.query_id is null) or (list_contains({{ row }}.names, 'doc_id') and {{ row }}.doc_id is null)
{%- endmacro %}

{#- Return an id in lower case without surrounding blanks, leading zeros and a fraction of zeros, such as that of 12.0. -#}
{% macro spelling(id) -%}
ltrim(regexp_replace(lower(trim({{ id }}, ' ' || chr(9) || chr(13) || chr(160))), '^([0-9]+)[.]0+$', '\1'), '0')
{%- endmacro %}

{#- List three of the ids in quotation marks, which make blanks visible. -#}
{% macro sample_ids(id) -%}
list_aggregate(min(distinct '''' || {{ id }} || '''', 3), 'string_agg', ', ')
{%- endmacro %}

{#- Return the message about texts in relevance, before the texts. -#}
{% macro text_without_grade() -%}
relevance holds texts that are neither numbers nor in grades: give each of them a grade, or correct it; the texts are
{%- endmacro %}
