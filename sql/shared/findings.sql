{#- The words that findings (checks/) are written in. -#}

{#- How many offending rows there are, and the first three of them as text. -#}
{% macro listed(text) -%}
count(*) as how_many,
    array_to_string(min({{ text }}, 3), '; ') as first_rows
{%- endmacro %}

{#- A row as text: its keys, and columns by name. -#}
{% macro shown(row) -%}
concat_ws(', ', {{ row }}.keys
{%- for name in varargs %}, {% if name.endswith("_id") %}'{{ name }}=' || coalesce({{ row }}.{{ name }}, 'NULL'){% elif name.endswith("_text") %}'{{ name.removesuffix("_text") }}=' || coalesce({{ row }}.{{ name }}, 'NULL'){% else %}'{{ name }}=' || {{ row }}.{{ name }}{% endif %}{% endfor -%}
)
{%- endmacro %}

{% macro lacks_id(row) -%}
(list_contains({{ row }}.names, 'query_id') and {{ row }}.query_id is null) or (list_contains({{ row }}.names, 'doc_id') and {{ row }}.doc_id is null)
{%- endmacro %}

{#- What is left of an id without blanks, leading zeros and upper case. -#}
{% macro spelling(id) -%}
ltrim(lower(trim({{ id }}, ' ' || chr(9) || chr(13) || chr(160))), '0')
{%- endmacro %}

{#- Three of the ids, between quotes: a blank is part of an id. -#}
{% macro some(id) -%}
array_to_string(min(distinct '''' || {{ id }} || '''', 3), ', ')
{%- endmacro %}
