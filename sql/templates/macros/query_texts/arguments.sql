{#- Write the arguments of a call into the text of a query, in SQL. Each macro returns SQL that evaluates to a text. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated, concatenated_by, replaced with context -%}

{#- Hide the braces in a text of the caller, so that they are not read as placeholders. -#}
{%- macro without_placeholders(text) -%}
replace(
    {{ text }},
    '{',
    case when contains({{ text }}, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
)
{%- endmacro -%}

{#- Restore the braces that `without_placeholders` hides. -#}
{%- macro with_braces(text) -%}
replace({{ text }}, chr(1), '{')
{%- endmacro -%}

{#- Quote a name. -#}
{%- macro identifier(name) -%}
'"' || replace({{ without_placeholders(name) }}, '"', '""') || '"'
{%- endmacro -%}

{#- Quote the name that a key has in the result; see `column_of` in totals.py. -#}
{%- macro column_of_key(key) -%}
case when {{ key }} = '{{ total_within }}' then '{{ total }}' else {{ identifier(key) }} end
{%- endmacro -%}

{#- Quote a text. -#}
{%- macro quoted(text) -%}
'''' || replace({{ without_placeholders(text) }}, '''', '''''') || ''''
{%- endmacro -%}

{#- Write a list of texts. -#}
{%- macro listed(names) -%}
'[' || {{ concatenated_by("list_transform(cast(" ~ names ~ " as varchar[]), lambda c: " ~ quoted("c") ~ ")", "', '") }} || ']::varchar[]'
{%- endmacro -%}

{#- Write a map of texts to numbers. -#}
{%- macro literal_map(map) -%}
'map {' || {{ concatenated_by("list_transform(map_entries(cast(" ~ map ~ " as map(varchar, double))), lambda g: "
    ~ quoted("g['key']") ~ " || ': ' || coalesce(cast(g['value'] as varchar), 'null') || '::double')", "', '") }} || '}'
{%- endmacro -%}

{#- Return a relation that raises an error for ids that are bytes, and for ids and keys that are compared by a collation. The ids are
    query_id and the columns `names`. `names` lists SQL that evaluates to quoted names; `keys` is SQL of a list of names. -#}
{%- macro with_bytewise_ids(relation, names, keys) -%}
'(select v.* from ' || {{ relation }} || ' as v where ltr.__ltr_bytewise(v.query_id)'{% for name in names %}
    || ' and ltr.__ltr_bytewise(v.' || {{ name }} || ')'{% endfor %}
    || {{ concatenated("list_transform(" ~ keys ~ ", lambda c: ' and ltr.__ltr_bytewise(cast(v.' || " ~ identifier("c") ~ " || ' as varchar))')") }}
    || ')'
{%- endmacro -%}

{#- Return the fields of a struct. Add a field, because a struct cannot be empty. -#}
{%- macro fields(names) -%}
'__ltr_one := 0' || {{ concatenated("list_transform(" ~ names ~ ", lambda c: ', ' || " ~ identifier("c") ~ " || ' := v.' || " ~ identifier("c") ~ ")") }}
{%- endmacro -%}

{#- Return the text that belongs to an option of the call, or raise an error. `texts` holds a text for each name. -#}
{%- macro chosen(option, texts) -%}
coalesce({{ constant(texts) }}[{{ option }}], error('{{ option }} must be one of {{ texts | join(", ") }}, got ' || coalesce({{ option }}, 'NULL')))
{%- endmacro -%}

{#- Quote an option that is one of the allowed texts, or raise an error. -#}
{%- macro one_of(option, allowed) -%}
case when {{ option }} in ({{ allowed }}) then {{ quoted(option) }}
    else error('{{ option }} must be one of ' || concat_ws(', ', {{ allowed }}) || ', got ' || coalesce({{ option }}, 'NULL'))
    end
{%- endmacro -%}

{#- Write an option that is a number and meets the condition, or raise an error that names it. `value` is SQL of the number, by default the
    option itself. -#}
{%- macro number(name, condition, meaning, value="") -%}
case
    when coalesce({{ condition }}, false) then cast({{ value or name }} as varchar)
    else error('{{ name }} must be {{ meaning }}, got ' || coalesce(cast({{ name }} as varchar), 'NULL'))
end
{%- endmacro -%}

{#- Return the text of the call block, or raise an error if a parameter that has a default is NULL. `signature` lists parameters, as NAME or
    NAME := DEFAULT. -#}
{%- macro without_nulls(signature) -%}
{%- set checked = [] -%}
{%- for parameter in signature if " := " in parameter and " := null" not in parameter %}{% set _ = checked.append(parameter) %}{% endfor -%}
{%- if not checked -%}
{{ caller() }}
{%- else -%}
case
    {%- for parameter in checked %}
    {%- set name, default = parameter.split(" := ", 1) %}
    when {{ name }} is null
        then error({{ string(name | replace('"', "") ~ " must not be NULL: leave it out for its default " ~ default | replace("::varchar[]", "")) }})
    {%- endfor %}
    else {{ caller() }}
end
{%- endif -%}
{%- endmacro -%}

{#- Comment out the parts of a query that a call does not need. `mode` is SQL of the mode of the call. -#}
{%- macro with_parts(text, mode) -%}
{%- set filled = {} -%}
{%- for placeholder,
    (comment, modes) in placeholders_of_parts.items() %}{% set _ = filled.update({placeholder: "case when " ~ mode
    ~ " in ('" ~ modes | join("', '") ~ "') then '' else " ~ string(comment) ~ " end"}) %}{% endfor -%}
{{ replaced(text, filled) }}
{%- endmacro -%}

{#- Write an argument of a call as SQL: a text, or NULL. -#}
{%- macro argument(value) -%}
coalesce('''' || replace(cast({{ value }} as varchar), '''', '''''') || '''', 'null')
{%- endmacro -%}

{#- Write an argument that is a list of texts, and may have elements that are NULL. A text that is no list stays a text. -#}
{%- macro argument_list(value) -%}
case
    when try_cast({{ value }} as varchar[]) is null then {{ argument(value) }}
    else '[' || {{ concatenated_by("list_transform(try_cast(" ~ value ~ " as varchar[]), lambda c: " ~ argument("c") ~ ")", "', '") }} || ']::varchar[]'
end
{%- endmacro -%}
