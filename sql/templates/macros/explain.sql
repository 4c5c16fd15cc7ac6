{#- Create ltr.explain, which writes the query of a measure of one query by rank. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated, fill, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import listed, quoted, without_placeholders with context -%}
{%- from "macros/query_texts/assembled.sql" import written with context -%}

{#- Look up the SQL that breaks measures down by rank; NULL if a measure is no sum over ranks. -#}
{% macro with_texts(measures) -%}
list_transform({{ measures }}, lambda m: struct_concat(m, {'texts': {{ constant_entry(texts_by_rank, "m['chosen']") }}}))
{%- endmacro %}

{#- Break a measure of one query down by rank. -#}
{% macro explained_text(measure) -%}
{{ replaced(
    fill(
        replaced(string(explained), {
            "{gain_of_document}": measure ~ "['texts']['gain']",
            "{discount_of_rank}": "case when " ~ measure ~ "['texts']['discount'] <> '' then " ~ measure ~ "['texts']['discount'] else error('measure ''' || measure || ''' ' || " ~ string(not_by_rank) ~ ") end",
            "{empty_value}": measure ~ "['texts']['empty']",
            "{block}": constant_entry(blocks_by_rank, measure ~ "['row_source'] || ' ' || " ~ measure ~ "['reads']"),
            "{windows}": concatenated(measure ~ "['texts']['windows']"),
            "{value}": measure ~ "['texts']['running']",
            "{shared_ranks}": measure ~ "['shared_ranks']",
        }),
        measure ~ "['placeholders']"
    ),
    {
        "{cutoff}": "coalesce(cast(" ~ measure ~ "['cutoff'] as varchar), 'null')",
        "{keys}": listed("keys"),
        "{relation}": without_placeholders(table_named("rankings")),
        "{query}": quoted("cast(query as varchar)"),
    }
) }}
{%- endmacro -%}

create or replace macro ltr.explain(rankings, query, measure, keys := []::varchar[]) as table
from query({{ written(explained_text, with_texts("ltr.__ltr_measures([measure], 'rankings', keys, null)") ~ "[1]") }});
comment on macro table ltr.explain is 'Explain the value of a measure for a query: one row for each rank, with the contribution of its document, next to the ideal ranking.';
