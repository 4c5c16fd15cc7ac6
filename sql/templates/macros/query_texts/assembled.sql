{#- Assemble the text of a query from the filled SQL of its measures. -#}
{%- from "macros/query_texts/pieces.sql" import bound, concatenated, concatenated_by, fill, replaced with context %}
{%- from "macros/query_texts/arguments.sql" import identifier, quoted, with_braces with context %}

{#- 7. Group the measures into blocks that share a row source, and return the CTEs of all blocks. -#}
{% macro block_texts(measures) -%}
list_aggregate(list_transform(
    list_sort(list_distinct(list_transform({{ measures }}, lambda m: m['block'])), 'asc'),
    lambda b: {{ bound("members", "list_filter(" ~ measures ~ ", lambda m: m['block'] = b)", block_text("members", "b")) }}
), 'string_agg', ',' || chr(10))
{%- endmacro %}

{#- Return the CTEs of a block, which reads all rows that any of its measures needs. -#}
{% macro block_text(members, name) -%}
{%- set placeholders = {
    "{suffix}": name ~ "[len(" ~ members ~ "[1]['row_source']) + 1:]",
    "{windows}": concatenated("list_sort(list_distinct(flatten(list_transform(" ~ members ~ ", lambda m: m['windows']))), 'asc')"),
    "{values}": concatenated("list_transform(" ~ members ~ ", lambda m: m['value'])"),
    "{shared_ranks}": "list_aggregate(list_transform(" ~ members ~ ", lambda m: m['shared_ranks']), 'min')",
    "{k}": "case when len(list_filter(" ~ members
        ~ ", lambda m: m['cutoff'] is null)) > 0 then 'null' else cast(list_aggregate(list_transform(" ~ members
        ~ ", lambda m: m['cutoff']), 'max') as varchar) end",
} -%}
{{ fill(replaced(
    constant_entry(blocks, members ~ "[1]['row_source'] || ' ' || " ~ constant(rows) ~ "[list_aggregate(list_transform("
        ~ members ~ ", lambda m: list_position(" ~ constant(rows) ~ ", m['reads'])), 'min')]"),
    placeholders
), members ~ "[1]['placeholders']") }}
{%- endmacro %}

{#- Return the joins of the blocks. -#}
{% macro joins_of(measures) -%}
{{ concatenated("list_sort(list_distinct(list_transform(" ~ measures ~ ", lambda m: m['join'])), 'asc')") }}
{%- endmacro %}

{#- 8. Average the measures over queries if `averaged` is true, with the weights of queries unless they are NULL. `per_query` returns the
    query of the values of each query. -#}
{% macro result_text(measures, per_query, totals="false") -%}
{%- set refused = "list_filter(" ~ measures ~ ", lambda m: not starts_with(m['weighted'], ','))" -%}
{%- set key_names = "list_transform(ltr.__ltr_key_list(keys), lambda c: 'v.' || " ~ identifier("c") ~ ")" -%}
{{ replaced("case
    when not averaged then '{per_query}'
    when weights is null then " ~ string(averages) ~ "
    when len(" ~ refused ~ ") > 0 then error('measure ''' || " ~ refused ~ "[1]['text'] || ''' ' || " ~ refused ~ "[1]['weighted'])
    else " ~ string(weighted_averages) ~ "
end", {
    "{averages}": concatenated("list_transform(" ~ measures ~ ", lambda m: case when weights is null then m['average'] else m['weighted'] end)"),
    "{counted}": "'coalesce(' || " ~ concatenated_by("list_transform(" ~ measures ~ ", lambda m: 'v.' || " ~ identifier("m['text']") ~ ")", "', '") ~ " || ')'",
    "{keyed}": "ltr.__ltr_keyed(keys)",
    "{weights}": "coalesce('query_table(' || " ~ quoted("cast(weights as varchar)") ~ " || ')', '')",
    "{per_query}": per_query(measures),
    "{keys}": concatenated("list_transform(" ~ key_names ~ ", lambda c: c || ', ')")
        ~ (" || case when " ~ totals ~ " then ltr.__ltr_total_of_keys(keys) else '' end" if totals != "false"),
    "{group_by}": ("case when " ~ totals ~ " then ' group by ' || ltr.__ltr_rolled_keys(keys) else " if totals != "false")
        ~ "case when len(ltr.__ltr_key_list(keys)) = 0 then '' else ' group by ' || "
        ~ concatenated_by(key_names, "', '") ~ " end" ~ (" end" if totals != "false"),
}) }}
{%- endmacro %}

{#- Apply `text` to the SQL of a list of measures, which may stand in it many times, and restore the braces in names of the caller. -#}
{% macro written(text, measures) -%}
{{ with_braces("list_transform(
    [" ~ measures ~ "],
    lambda every: " ~ text("every") ~ "
)[1]") }}
{%- endmacro %}
