{#- The SQL of a list of measures, written by SQL: `from query(...)` in ltr.per_query and ltr.evaluate.
    DuckDB folds the expression to a text before it binds. Fields are read as m['name']: in the argument of a
    table function m.name would be taken for the name of a table. Each step below is an expression over a list of structs,
    one for each measure; what they fill in for the {holes} has passed the grammar of measure strings. -#}

{#- 1. Measure strings, each once, taken apart. -#}
{% macro read(strings) -%}
list_transform(
    list_filter(
        case
            when len({{ strings }}) > 0 and len(list_filter({{ strings }}, lambda m: m is null)) = 0
            then list_transform({{ strings }}, lambda m: trim(m))
            else error('measures must be a list of measure strings without NULL, such as [''nDCG@10'', ''AP'']')
        end,
        lambda m, i: i = list_position(list_transform({{ strings }}, lambda n: trim(n)), m)
    ),
    lambda m: {'text': m, 'read': regexp_extract(m, {{ string(grammar) }}, ['name', 'arguments', 'k'])}
)
{%- endmacro %}

{#- 2. With the measure's texts from the catalogue. -#}
{% macro looked_up(measures) -%}
list_transform({{ measures }}, lambda m: {
    'text': m['text'],
    'k': m['read']['k'],
    'arguments': m['read']['arguments'],
    'definition': map {
        {%- for definition in definitions %}
        {{ string(definition.macro) }}: {{ struct(definition) | indent(8) }}{{ "" if loop.last else "," }}
        {%- endfor %}
    }[coalesce(map {
        {%- for name, macro in names.items() %}
        {{ string(name) }}: {{ string(macro) }}{{ "" if loop.last else "," }}
        {%- endfor %}
    }[lower(m['read']['name'])], error('unknown measure ''' || m['text'] || ''': from ltr.measures() lists them'))]
})
{%- endmacro %}

{#- 3. With the values of its parameters, as written or by default. -#}
{% macro with_values(measures) -%}
list_transform({{ measures }}, lambda m: {
    'text': m['text'],
    'definition': m['definition'],
    'refused': list_filter(
        list_transform(string_split(m['arguments'], ','), lambda a: trim(a)),
        lambda a: a <> '' and not coalesce(list_contains(m['definition']['arguments'], regexp_extract(a, {{ string(argument) }}, 1)), false)
    ),
    'k': coalesce(nullif(m['k'], ''), 'null')
    {%- for parameter in parameters if parameter.name != "k" %},
    '{{ parameter.name }}': coalesce(nullif(regexp_extract(m['arguments'], {{ string("\\b" ~ parameter.name ~ "\\s*=\\s*['\"]?([\\w.+-]+)") }}, 1), ''), {{ string(parameter.default | string) }})
    {%- endfor %}
})
{%- endmacro %}

{#- 4. With each value checked and written as SQL; a parameter that the measure does not take is null. -#}
{% macro checked(measures) -%}
list_transform({{ measures }}, lambda m: {
    'definition': m['definition'],
    'name': case
        when len(m['refused']) > 0
        then error('measure ''' || m['text'] || ''': ' || m['refused'][1] || ' is not one of its parameters (' || array_to_string(m['definition']['arguments'], ', ') || ') with a value')
        when list_contains(list_transform(keys, lambda c: lower(c)), lower(m['text'])) or list_contains(list_transform(keys, lambda c: lower(c)), 'queries')
        then error('a key cannot be called queries or like a measure, got keys ' || cast(keys as varchar))
        else '"' || replace(m['text'], '"', '""') || '"'
    end
    {%- for parameter in parameters %},
    '{{ parameter.name }}': case
        when not list_contains(m['definition']['parameters'], '{{ parameter.name }}') then 'null'
        {%- if parameter.name == "k" %}
        when m['k'] = 'null' and m['definition']['cutoff'] = 'optional' then m['k']
        {%- endif %}
        when not coalesce({{ allowed(parameter, "m['" ~ parameter.name ~ "']") }}, false)
        then error('measure ''' || m['text'] || ''': {{ parameter.name }} must be {{ parameter.allowed | replace("'", "''") }}, got ' || m['{{ parameter.name }}'])
        else {{ as_sql(parameter, "m['" ~ parameter.name ~ "']") }}
    end
    {%- endfor %}
})
{%- endmacro %}

{% macro allowed(parameter, value) -%}
{%- if parameter.type == "choice" -%} {{ condition(parameter, value) }}
{%- else -%} {{ condition(parameter, "try_cast(" ~ value ~ " as double)") }}
{%- endif -%}
{%- endmacro %}

{% macro as_sql(parameter, value) -%}
{%- if parameter.type == "choice" -%} '''' || {{ value }} || ''''
{%- else -%} {{ value }} || case when contains({{ value }}, '.') and not contains(lower({{ value }}), 'e') then 'e0' else '' end
{%- endif -%}
{%- endmacro %}

{#- 5. Its texts with the values filled in. -#}
{% macro filled(measures) -%}
list_transform({{ measures }}, lambda m: {
    'base': m['definition']['base'],
    'rows': m['definition']['rows'],
    'block': {{ fill("m['definition']['block']") }},
    'cutoff': try_cast(m['k'] as integer),
    'windows': list_transform(m['definition']['windows'], lambda w: {{ fill("w") }}),
    'value': {{ fill("m['definition']['value']") }},
    'output': replace({{ fill("m['definition']['output']") }}, '{block}', {{ fill("m['definition']['block']") }}),
    'average': {{ fill("m['definition']['average']") }}
    {%- for name in block_parameters %},
    '{{ name }}': m['{{ name }}']
    {%- endfor %}
})
{%- endmacro %}

{% macro fill(text) -%}
{%- set holes = {"{name}": "m['name']"} -%}
{%- for parameter in parameters -%}
{%- set _ = holes.update({"{" ~ parameter.name ~ "}": "m['" ~ parameter.name ~ "']", "{_" ~ parameter.name ~ "}": "'_' || regexp_replace(m['" ~ parameter.name ~ "'], '\\W', '_', 'g')"}) -%}
{%- endfor -%}
{{ replaced(text, holes) }}
{%- endmacro %}

{#- 6. Joined to blocks: measures that share a base. -#}
{% macro blocks_of(measures) -%}
list_transform(
    list_sort(list_distinct(list_transform({{ measures }}, lambda m: m['block']))),
    lambda b: list_transform([list_filter({{ measures }}, lambda m: m['block'] = b)], lambda members: {
        'name': b,
        'text': {{ block_text("members", "b") | indent(8) }}
    })[1]
)
{%- endmacro %}

{#- Of the rows that they need, the widest: 'all', 'judged', 'relevant' stand in this order in the alphabet too. -#}
{% macro block_text(members, name) -%}
{%- set holes = {
    "{suffix}": name ~ "[len(" ~ members ~ "[1]['base']) + 1:]",
    "{windows}": concatenated("list_sort(list_distinct(flatten(list_transform(" ~ members ~ ", lambda m: m['windows']))))"),
    "{values}": concatenated("list_transform(" ~ members ~ ", lambda m: m['value'])"),
    "{k}": "case when len(list_filter(" ~ members ~ ", lambda m: m['cutoff'] is null)) > 0 then 'null' else cast(list_max(list_transform(" ~ members ~ ", lambda m: m['cutoff'])) as varchar) end",
} -%}
{%- for name in block_parameters -%}
{%- set _ = holes.update({"{" ~ name ~ "}": members ~ "[1]['" ~ name ~ "']"}) -%}
{%- endfor -%}
{{ replaced(
    "map {" ~ texts(blocks) ~ "}[" ~ members ~ "[1]['base'] || ' ' || list_aggregate(list_transform(" ~ members ~ ", lambda m: m['rows']), 'min')]",
    holes
) }}
{%- endmacro %}

{#- 7. Joined to the query. -#}
{% macro query_text(measures) -%}
{%- set bases = "list_transform(" ~ measures ~ ", lambda m: m['base'])" -%}
{{ replaced(
    "map {" ~ texts(queries) ~ "}[case when list_contains(" ~ bases ~ ", 'subtopics') then 'subtopics' else 'documents' end || case when list_has_any(" ~ bases ~ ", ['lists', 'pairs']) then ' paired' else '' end]",
    {
        "{blocks}": "list_aggregate(list_transform(" ~ blocks_of(measures) ~ ", lambda b: b['text']), 'string_agg', ',' || chr(10))",
        "{joins}": concatenated("list_transform(list_sort(list_distinct(list_transform(" ~ measures ~ ", lambda m: m['block']))), lambda b: replace(" ~ string(join) ~ ", '{block}', b))"),
        "{outputs}": concatenated("list_transform(" ~ measures ~ ", lambda m: m['output'])"),
        "{documents}": "case when list_contains(" ~ bases ~ ", 'subtopics') then '__ltr_graded' else '__ltr_rankings' end",
        "{keys}": "'[' || " ~ concatenated_by("list_transform(keys, lambda c: '''' || replace(c, '''', '''''') || '''')", "', '") ~ " || ']::varchar[]'",
        "{rankings}": "replace(rankings, '''', '''''')",
    }
) }}
{%- endmacro %}

{#- 8. Averaged over queries. -#}
{% macro averages_text(measures) -%}
{%- set key_names = "list_transform(keys, lambda c: 'v.\"' || replace(c, '\"', '\"\"') || '\"')" -%}
{{ replaced(string(averages), {
    "{averages}": concatenated("list_transform(" ~ measures ~ ", lambda m: m['average'])"),
    "{per_query}": query_text(measures),
    "{keys}": concatenated("list_transform(" ~ key_names ~ ", lambda c: c || ', ')"),
    "{group_by}": "case when len(keys) = 0 then '' else ' group by ' || " ~ concatenated_by(key_names, "', '") ~ " end",
}) }}
{%- endmacro %}

{#- All steps, over the macro's parameters rankings, measures and keys. -#}
{% macro fused(averaged) -%}
list_transform(
    [{{ filled(checked(with_values(looked_up(read("measures"))))) | indent(4) }}],
    lambda every: {{ (averages_text("every") if averaged else query_text("every")) | indent(4) }}
)[1]
{%- endmacro %}

{% macro concatenated(list) -%}
{{ concatenated_by(list, "''") }}
{%- endmacro %}

{% macro concatenated_by(list, separator) -%}
coalesce(list_aggregate({{ list }}, 'string_agg', {{ separator }}), '')
{%- endmacro %}

{% macro texts(entries) -%}
{%- for key, text in entries.items() %}{{ string(key) }}: {{ string(text) }}{{ "" if loop.last else ", " }}{% endfor -%}
{%- endmacro %}

{% macro replaced(text, holes) -%}
{%- for _ in holes %}replace({% endfor %}{{ text }}{% for hole, value in holes.items() %}, {{ string(hole) }}, {{ value }}){% endfor -%}
{%- endmacro %}
