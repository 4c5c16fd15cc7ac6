{#- Join texts, and replace the placeholders in them. Each macro returns SQL that evaluates to a text. -#}

{% macro concatenated(list) -%}
{{ concatenated_by(list, "''") }}
{%- endmacro %}

{% macro concatenated_by(list, separator) -%}
coalesce(list_aggregate({{ list }}, 'string_agg', {{ separator }}), '')
{%- endmacro %}

{#- Name a value in a result. DuckDB binds the value of a lambda's parameter once, and that of a macro's parameter for each use. -#}
{% macro bound(name, value, result) -%}
list_transform([{{ value }}], lambda {{ name }}: {{ result }})[1]
{%- endmacro %}

{#- Replace the placeholders in a text. `placeholders` maps each of them to SQL that evaluates to its text. -#}
{% macro replaced(text, placeholders) -%}
{%- for _ in placeholders %}replace({% endfor %}{{ text }}{% for placeholder, value in placeholders.items() %},
    {{ string(placeholder) }}, {{ value }}){% endfor -%}
{%- endmacro %}

{#- Replace the placeholders in a list of texts. `placeholders` is a list in SQL: of the name of each and the text that replaces it. -#}
{% macro fill_all(texts, placeholders) -%}
list_reduce(list_concat([{{ texts }}], {{ placeholders }}), lambda f, p: list_transform(f, lambda t: replace(t, p[1], p[2])))
{%- endmacro %}

{% macro fill(text, placeholders) -%}
{{ fill_all("[" ~ text ~ "]", placeholders) }}[1]
{%- endmacro %}
