{#- Create ltr.beyond_accuracy and the macros of single measures beyond accuracy, which write and run the query of these measures. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import listed, quoted, without_nulls, without_placeholders with context -%}
{%- from "macros/query_texts/filled.sql" import filled with context -%}
{%- from "macros/query_texts/assembled.sql" import block_texts, joins_of, result_text, written with context -%}

{#- Add to each measure the tables that it needs under its parameters, as `needed`. -#}
{% macro with_needed(measures) -%}
list_transform({{ measures }}, lambda m: struct_concat(m, {'needed': list_filter(
    m['needs'],
    lambda n: n['parameter'] = '' or list_filter(m['values'], lambda v: v['name'] = n['parameter'])[1]['text'] = n['value']
)}))
{%- endmacro %}

{#- Return the tables that measures need and the call does not give. -#}
{% macro lacking(measures) -%}
flatten(list_transform({{ measures }}, lambda m: list_transform(
    list_filter(m['needed'], lambda n: case n['table']{% for name in tables %} when '{{ name }}' then {{ name }} is null{% endfor %} end),
    lambda n: 'measure ''' || m['text'] || ''' needs ' || n['table'] || ' := a table with ' || n['columns']
)))
{%- endmacro %}

{#- Return the columns that a table must have. -#}
{% macro needed(measures, name) -%}
list_distinct(flatten(list_transform({{ measures }},
    lambda m: flatten(list_transform(list_filter(m['needed'], lambda n: n['table'] = '{{ name }}'), lambda n: string_split(n['columns'], ' and '))))))
{%- endmacro %}

{#- Return a table of the call as SQL, or a relation without rows in its place. -#}
{% macro table_or_absent(name) -%}
case when {{ name }} is null then {{ string(absent[name]) }} else {{ alike(given(name), {given("run"): ids[name]} if ids[name] else {}) }} end
{%- endmacro %}

{% macro given(name) -%}
{{ without_placeholders(table_named(name)) }}
{%- endmacro %}

{#- Return the length up to which lists need no ranks: 0 if a measure reads ranks, else the smallest cutoff. -#}
{% macro longest_unsorted(measures) -%}
case
    when len(list_filter({{ measures }}, lambda m: list_contains({{ constant(sorted_sources) }}, m['row_source']))) > 0 then '0'
    else cast(coalesce(list_aggregate(list_transform({{ measures }}, lambda m: m['cutoff']), 'min'), {{ largest_bigint }}) as varchar)
end
{%- endmacro %}

{% macro lists_text(measures) -%}
{%- set ids_of_tables = {} -%}
{%- for name in tables if ids[name] %}{% set _ = ids_of_tables.update({given(name): ids[name]}) %}{% endfor -%}
{%- set placeholders = {
    "{blocks}": block_texts(measures),
    "{joins}": joins_of(measures),
    "{outputs}": concatenated("list_transform(" ~ measures ~ ", lambda m: case when averaged then m['output'] else m['by_query'] end)"),
} -%}
{%- for name in tables %}{% set _ = placeholders.update({
    "{table_" ~ name ~ "}": table_or_absent(name),
    "{needed_" ~ name ~ "}": listed(needed(measures, name)),
}) %}{% endfor -%}
{%- set _ = placeholders.update(system_texts) -%}
{%- set _ = placeholders.update({
    "{order}": constant(orders) ~ "[" ~ ties_checked ~ "]",
    "{keys}": listed("keys"),
    "{unsorted}": longest_unsorted(measures),
    "{ties}": quoted(ties_checked),
    "{relation}": alike(given("run"), ids_of_tables),
}) -%}
case
    when len({{ lacking(measures) }}) > 0 then error(list_aggregate({{ lacking(measures) }}, 'string_agg', '; '))
    else {{ replaced(string(lists_query), placeholders) }}
end
{%- endmacro %}

{% macro result_of_lists(measures) -%}
{{ result_text(measures, lists_text) }}
{%- endmacro -%}

create or replace macro ltr.__ltr_beyond_accuracy(run, measures, {{ tables | join(", ") }}, ties, keys, averaged, convention, weights) as
{{ written(result_of_lists, filled(with_needed("ltr.__ltr_measures(measures, 'lists', keys, convention)"), ["needed"], ["by_query"])) }};

create or replace macro ltr.beyond_accuracy(run, measures, {% for name in tables %}{{ name }} := null, {% endfor %}ties := {{ ties }}, keys := []::varchar[], by_query := false, weights := null, convention := null) as table
from query({% call without_nulls(["ties := " ~ ties, "keys := []", "by_query := false"]) %}ltr.__ltr_beyond_accuracy(run,
    measures, {{ tables | join(", ") }}, ties, keys, not by_query, convention, weights){% endcall %});
comment on macro table ltr.beyond_accuracy is {{ string(comment) }};

{#- Return a measure string with the options and the cutoff of a call; those that are NULL are left out. #}
create or replace macro ltr.__ltr_measure_text(name, options, k) as
name || '('
    || coalesce(list_aggregate(list_transform(list_filter(options, lambda o: o['value'] is not null), lambda o: o['name'] || '=' || o['value']),
    'string_agg', ','), '') || ')' || case
    when k is null then ''
    when coalesce(isfinite(try_cast(k as double)) and try_cast(k as double) >= 1 and try_cast(k as double) = floor(try_cast(k as double)), false) then '@' || k
    else error('measure ''' || name || ''': k must be {{ k_allowed }}, got ' || k)
end;

{% for measure in measures -%}
create or replace macro ltr.{{ measure.macro }}(run, {% for name in measure.tables %}{{ name }} := null, {% endfor %}{% for parameter in measure.signature %}{{ parameter }}, {% endfor %}ties := {{ ties }}, keys := []::varchar[]) as table
from query({% call without_nulls(measure.signature + ["ties := " ~ ties, "keys := []"]) %}'select * rename ("'
    || {{ measure.text }} || '" as {{ measure.macro }}) from ('
    || ltr.__ltr_beyond_accuracy(run, [{{ measure.text }}],
    {% for name in tables %}{{ name if name in measure.tables else "null" }}, {% endfor %}ties, keys,
    {{ measure.averaged }}, null, null) || ')'{% endcall %});
comment on macro table ltr.{{ measure.macro }} is {{ string(measure.comment) }};

{% endfor -%}
