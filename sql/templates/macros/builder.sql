{#- Create the macro of a builder. It assembles the query of a method in SQL, and runs it by `from query(...)`. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated_by, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import identifier, listed, literal_map, number, one_of, quoted, with_braces,
    without_nulls, without_placeholders with context -%}

{%- macro lacking(option) -%}
error({{ entry }}['name'] || ' needs {{ option.name }}: ' || {{ string(option.summary) }})
{%- endmacro -%}

{#- The text of an option that is not NULL. -#}
{%- macro text_of(option) -%}
{% if option.name == "qrels" -%} {{ alike(without_placeholders(table_named("qrels")), {without_placeholders(table_named(builder.inputs[0])): ids}) }}
{%- elif option.type == "table" -%} {{ without_placeholders(table_named(option.name)) }}
{%- elif option.type == "column" -%} {{ identifier(option.name) }}
{%- elif option.type == "text" -%} {{ quoted("cast(" ~ option.name ~ " as varchar)") }}
{%- elif option.type == "choice" -%} {{ one_of(option.name, "'" ~ option.choices | join("', '") ~ "'") }}
{%- else -%} {{ number(option.name, option.condition("try_cast(" ~ option.name ~ " as double)"), option.allowed) }}
    || '::{{ "double" if option.type == "number" else "bigint" }}'
{%- endif %}
{%- endmacro -%}

{#- Return the text of an option. Raise an error if the method needs it and the call omits it, and if the call passes it and none of
    the methods reads it. -#}
{%- macro written(option) -%}
case
    when {{ option.name }} is null then case when list_contains({{ entry }}['needs'], '{{ option.name }}') then {{ lacking(option) }}
        else {{ string(no_rows) if option.type == "table" else "'null'" }} end
    {%- if option.name in optional %}
    {%- if builder.many %}
    when len(list_filter({{ names }}, lambda o: list_contains({{ constant_entry(takes, "o") }}, '{{ option.name }}'))) = 0
        then error(array_to_string({{ names }}, ', ') || case when len({{ names }}) > 1 then ' do' else ' does'
        end || ' not read {{ option.name }}: leave it out')
    {%- else %}
    when not list_contains({{ entry }}['takes'], '{{ option.name }}') then error({{ entry }}['name'] || ' does not read {{ option.name }}: leave it out')
    {%- endif %}
    {%- endif %}
    else {{ text_of(option) }}
end
{%- endmacro -%}

{#- The text of an input. Ratings are read by the option `grades`. -#}
{%- macro given(input) -%}
{%- if "qrels" in builder.options
    | map(attribute="name") -%} {{ alike(without_placeholders(table_named(input)), {without_placeholders(table_named("qrels")): ids}) }}
{%- elif not read_ratings -%} {{ without_placeholders(table_named(input)) }}
{%- else -%}
case when grades is null then {{ without_placeholders(table_named(input)) }}
    else '(' || {{ replaced(string(read_ratings), {"{ratings}": without_placeholders(table_named(input)), "{grades}": literal_map("grades")}) }} || ')'
    end
{%- endif -%}
{%- endmacro -%}

{%- set entry = "e" -%}
{%- set name = builder.option or "''" -%}
{%- set names = "case when starts_with(typeof(" ~ name ~ "), 'VARCHAR[') then cast(" ~ name
    ~ " as varchar[]) else [cast(" ~ name ~ " as varchar)] end" if builder.many else "[" ~ name ~ "]" -%}
{%- set of_all = {"{queries}": "q"} -%}
{%- for option in builder.options if "{" ~ option.name ~ "}" in combined %}{% set _ = of_all.update({"{" ~ option.name ~ "}": text_of(option)}) %}{% endfor -%}
{%- set placeholders = {} -%}
{%- for input in builder.inputs %}{% set _ = placeholders.update({"{" ~ input ~ "}": given(input)}) %}{% endfor -%}
{%- for placeholder, value in dict(placeholders, **dict(system_texts, **{"{keys}": listed("keys")})).items()
    if placeholder in combined %}{% set _ = of_all.update({placeholder: value}) %}{% endfor -%}
{%- for option in builder.options %}{% set _ = placeholders.update({"{" ~ option.name ~ "}": written(option)}) %}{% endfor -%}
{%- for option in builder.options if option.default is none %}{% set _ = placeholders.update({"{has_" ~ option.name
    ~ "}": "case when " ~ option.name ~ " is null then 'false' else 'true' end"}) %}{% endfor -%}
{%- set _ = placeholders.update(system_texts) -%}
{%- set _ = placeholders.update({"{keys}": listed("keys")}) -%}
{%- set text -%}
list_transform(
    [{{ concatenated_by("list_transform(list_transform(" ~ names ~ ", lambda n: coalesce("
        ~ constant_entry(entries, "n") ~ ", error('" ~ builder.option ~ " must be one of " ~ entries | join(", ")
        ~ ", got ' || coalesce(n, 'NULL')))), lambda e: '(' || " ~ replaced("e['text']", placeholders) ~ " || ')')",
        "' union all '") }}],
    lambda q: {{ replaced(string(combined), of_all) }}
)[1]
{%- endset -%}
create or replace macro ltr.{{ builder.name }}({{ signature | join(", ") }}) as table
from query({% call without_nulls(signature[(builder.inputs | length) + (1 if builder.option else 0):]) %}{{ with_braces(text) }}{% endcall %});
comment on macro table ltr.{{ builder.name }} is {{ string(comment) }};
