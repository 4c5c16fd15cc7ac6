{#- Fill the placeholders in the SQL of measures, such as {k}. Their values match the grammar of measure strings, so they cannot
    change the SQL around them. -#}
{%- from "macros/query_texts/pieces.sql" import fill_all with context %}

{#- 6. Look up the SQL of each measure by its choice parameters and by its kind, and fill the placeholders in its texts. Also keep
    these `fields` and fill these `further` texts. -#}
{% macro filled(measures, fields=[], further=[]) -%}
{%- set names = ["block", "value", "output", "join", "average", "weighted"] + further -%}
list_transform(
    list_transform(
        list_transform({{ measures }},
            lambda m: struct_concat(m, {{ constant_entry(texts, "m['chosen']") }}, {{ constant_entry(texts_of_kinds, "m['kind']") }})),
        lambda m: struct_concat(m,
            {'filled': {{ fill_all("list_concat([m['" ~ names | join("'], m['") ~ "']], m['windows'])",
            "list_concat([['{block}', m['block']]], m['placeholders'])") }}})
    ),
    lambda m: {
        'text': m['text'],
        {%- for name in fields %}
        '{{ name }}': m['{{ name }}'],
        {%- endfor %}
        'input': m['input'],
        'row_source': m['row_source'],
        'reads': m['rows'],
        'shared_ranks': m['shared_ranks'],
        'cutoff': m['cutoff'],
        'placeholders': m['placeholders'],
        {%- for name in names %}
        '{{ name }}': m['filled'][{{ loop.index }}],
        {%- endfor %}
        'windows': m['filled'][{{ names | length + 1 }}:]
    }
)
{%- endmacro %}
