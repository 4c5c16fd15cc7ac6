{#- Create the macro of a builder, and a helper macro that writes the query of a method, which it runs by `from query(...)`. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated_by, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import identifier, listed, literal_map, number, one_of, quoted, with_braces,
    with_bytewise_ids, without_nulls, without_placeholders with context -%}

{#- The text of an option that is not NULL. -#}
{%- macro text_of(option) -%}
{% if option.name == "qrels" -%} {{ alike(without_placeholders(table_named("qrels")), {without_placeholders(table_named(builder.inputs[0])): ids}) }}
{%- elif option.type == "table" -%} {{ without_placeholders(table_named(option.name)) }}
{%- elif option.type == "weights" -%}
case
    when starts_with(typeof({{ option.name }}), 'MAP(')
    then '(select unnest(map_keys(m.weights)) as ' || {{ identifier("compared") }} || ', unnest(map_values(m.weights)) as weight from (select cast('
        || {{ quoted("cast(" ~ option.name ~ " as varchar)") }} || ' as map(varchar, double)) as weights) as m)'
    else '(select cast(t.' || {{ identifier("compared") }} || ' as varchar) collate "C" as ' || {{ identifier("compared") }}
        || ', t.weight from query_table(' || {{ quoted("cast(" ~ option.name ~ " as varchar)") }} || ') as t)'
end
{%- elif option.type == "query" -%} '(' || {{ option.name }} || ')'
{%- elif option.type == "column" -%} {{ identifier(option.name) }}
{%- elif option.type == "text" -%} {{ quoted("cast(" ~ option.name ~ " as varchar)") }}
{%- elif option.type == "choice" -%} {{ one_of(option.name, "'" ~ option.choices | join("', '") ~ "'") }}
{%- else -%} {{ number(option.name, option.condition("try_cast(" ~ option.name ~ " as double)"), option.allowed) }}
    || '::{{ "double" if option.type == "number" else "bigint" }}'
{%- endif %}
{%- endmacro -%}

{#- The text of an option, which may be NULL. -#}
{%- macro written(option) -%}
{%- if option.default is not none -%} {{ text_of(option) }}
{%- else -%} case when {{ option.name }} is null then {{ string(no_rows) if option.is_relation else "'null'" }} else {{ text_of(option) }} end
{%- endif -%}
{%- endmacro -%}

{#- Raise an error if the method `e` needs an option that the call omits, or refuses or does not read one that the call passes. Else return
    its query. -#}
{%- macro checked_query() -%}
case
    {%- for name in refused %}
    when {{ name }} is not null and e['refused']['{{ name }}'] <> '' then error(e['refused']['{{ name }}'])
    {%- endfor %}
    {%- for option in builder.options if option.name in needed %}
    when {{ option.name }} is null and list_contains(e['needs'], '{{ option.name }}')
        then error(e['name'] || ' needs {{ option.name }}: ' || {{ string(option.summary) }})
    {%- endfor %}
    {%- for name in optional %}
    {%- if builder.many %}
    when {{ name }} is not null and len(list_filter({{ names }}, lambda o: list_contains({{ constant_entry(takes, "o") }}, '{{ name }}'))) = 0
        then error(array_to_string({{ names }}, ', ') || case when len({{ names }}) > 1 then ' do' else ' does'
        end || ' not read {{ name }}: leave it out')
    {%- else %}
    when {{ name }} is not null and not list_contains(e['takes'], '{{ name }}') then error(e['name'] || ' does not read {{ name }}: leave it out')
    {%- endif %}
    {%- endfor %}
    when true then '(' || e['text'] || ')'
end
{%- endmacro -%}

{#- The text of a part of the body. -#}
{%- macro text_of_part(option, texts) -%}
{%- if option.is_relation -%} case when {{ option.name }} is null then {{ string(texts["false"]) }} else {{ string(texts["true"]) }} end
{%- else -%}
coalesce(
    {{ constant_entry(texts, "coalesce(" ~ option.name ~ ", '')") }},
    error('{{ option.name }} must be one of {{ option.choices | join(", ") }}, got ' || {{ option.name }})
)
{%- endif %}
{%- endmacro -%}

{#- The text of several runs, with their grouping columns as a struct. -#}
{%- macro grouped_runs(input) -%}
case
    when {{ wrong_keys }} then error({{ string(keys_message) }} || coalesce(cast(keys as varchar), 'NULL'))
    else '(select * from (select ' || coalesce('struct_pack(' || list_aggregate(list_transform({{ groups }}, lambda c: {{ identifier("c") }} || ' := r.'
        || {{ identifier("c") }}), 'string_agg', ', ') || ')', 'null')
        || ' as __ltr_group, null as __ltr_none, r.* from '
        || {{ with_bytewise_ids(without_placeholders(table_named(input)), ["'doc_id'", identifier("compared")], groups) }}
        || ' as r) where ltr.__ltr_number(columns(lambda c: lower(c) in (''__ltr_none'', ''rank'', ''score''))) '
        || 'and ltr.__ltr_exact(columns(lambda c: lower(c) in (''__ltr_none'', ''score''))))'
end
{%- endmacro -%}

{#- The text of an input. Ratings are read by the option `grades`. -#}
{%- macro given(input) -%}
{%- if "qrels" in builder.options
    | map(attribute="name") -%} {{ alike(without_placeholders(table_named(input)), {without_placeholders(table_named("qrels")): ids}) }}
{%- elif builder.keys -%} {{ grouped_runs(input) }}
{%- elif not read_ratings -%} {{ without_placeholders(table_named(input)) }}
{%- else -%}
case when grades is null then {{ without_placeholders(table_named(input)) }}
    else '(' || {{ replaced(string(read_ratings), {"{ratings}": without_placeholders(table_named(input)), "{grades}": literal_map("grades")}) }} || ')'
    end
{%- endif -%}
{%- endmacro -%}

{%- set name = builder.option or "''" -%}
{%- set names = "case when starts_with(typeof(" ~ name ~ "), 'VARCHAR[') then cast(" ~ name
    ~ " as varchar[]) else [cast(" ~ name ~ " as varchar)] end" if builder.many else "[" ~ name ~ "]" -%}
{%- set placeholders = {} -%}
{%- for placeholder, (option, texts) in parts.items() %}{% set _ = placeholders.update({placeholder: text_of_part(option, texts)}) %}{% endfor -%}
{%- for input in builder.inputs %}{% set _ = placeholders.update({"{" ~ input ~ "}": given(input)}) %}{% endfor -%}
{%- for option in builder.options if "{" ~ option.name ~ "}" in texts %}{% set _ = placeholders.update({"{" ~ option.name
    ~ "}": written(option)}) %}{% endfor -%}
{%- for option in builder.options if "{has_" ~ option.name ~ "}" in texts %}{% set _ = placeholders.update({"{has_" ~ option.name
    ~ "}": "case when " ~ option.name ~ " is null then 'false' else 'true' end"}) %}{% endfor -%}
{%- set _ = placeholders.update(system_texts) -%}
{%- if "{keys}" in texts %}{% set _ = placeholders.update({"{keys}": listed("keys")}) %}{% endif -%}
{%- set queries = "list_transform(list_transform(" ~ names ~ ", lambda n: coalesce(" ~ constant_entry(entries, "n") ~ ", error('"
    ~ builder.option ~ " must be one of " ~ entries | join(", ") ~ ", got ' || coalesce(n, 'NULL')))), lambda e: " ~ checked_query() ~ ")" -%}
{%- set text = replaced(replaced(string(combined), {"{queries}": concatenated_by(queries, "' union all '")}) if builder.many else queries ~ "[1]",
    placeholders) -%}
create or replace macro ltr.__ltr_{{ builder.name }}_query({{ (signature + internal) | join(", ") }}) as
{{ with_braces(text) }};

create or replace macro ltr.{{ builder.name }}({{ signature | join(", ") }}) as table
from query({% call without_nulls(signature[(builder.inputs | length) + (1 if builder.option else 0):]) -%}
    ltr.__ltr_{{ builder.name }}_query({{ arguments | join(", ") }})
{%- endcall %});
comment on macro table ltr.{{ builder.name }} is {{ string(comment) }};
