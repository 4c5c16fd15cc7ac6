{#- Create ltr.explain and ltr.worst, which write queries of a measure by rank. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated, fill, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import fields, identifier, listed, number, quoted, with_braces, without_nulls, without_placeholders with context -%}
{%- from "macros/query_texts/assembled.sql" import written with context -%}

{#- Look up the SQL that breaks measures down by rank; NULL if a measure is no sum over ranks. -#}
{% macro with_texts(measures) -%}
list_transform({{ measures }}, lambda m: struct_concat(m, {'texts': {{ constant_entry(texts_by_rank, "m['chosen']") }}}))
{%- endmacro %}

{#- Break a measure down by rank. The text `query_by_rank` is that of explained.sql or losses.sql. -#}
{% macro text_by_rank(measure) -%}
{{ replaced(
    fill(
        replaced("query_by_rank", {
            "{gain_of_document}": measure ~ "['texts']['gain']",
            "{discount_of_rank}": "case when " ~ measure ~ "['texts']['discount'] <> '' then " ~ measure
                ~ "['texts']['discount'] else error('measure ''' || measure || ''' ' || " ~ string(not_by_rank)
                ~ ") end",
            "{empty_value}": measure ~ "['texts']['empty']",
            "{block}": constant_entry(blocks_by_rank, measure ~ "['row_source'] || ' ' || " ~ measure ~ "['reads']"),
            "{counted}": measure ~ "['texts']['counted']",
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

create or replace macro ltr.__ltr_by_rank(query_by_rank, rankings, query, measure, keys) as
{{ written(text_by_rank, with_texts("ltr.__ltr_measures([measure], 'rankings', keys, null)") ~ "[1]") }};

create or replace macro ltr.explain(rankings, query, measure, keys := []::varchar[]) as table
from query(ltr.__ltr_by_rank({{ string(explained) }}, rankings, query, measure, keys));
comment on macro table ltr.explain is 'Explain the value of a measure for a query: one row for each rank, with the contribution of its document, next to the ideal ranking.';

{#- The keys with the column of the systems, which a baseline needs. -#}
{%- set all_keys = "case when baseline is null or list_contains(ltr.__ltr_key_list(keys), compared) then "
    "ltr.__ltr_key_list(keys) else list_concat([compared], ltr.__ltr_key_list(keys)) end" %}
create or replace macro ltr.__ltr_worst(losses, n, keys, baseline, compared, weights) as
{{ with_braces(replaced("case when baseline is null then " ~ string(worst) ~ " else " ~ string(worse_than_baseline) ~ " end", {
    "{stratum}": fields("ltr.__ltr_key_list(keys)"),
    "{others}": fields("list_filter(ltr.__ltr_key_list(keys), lambda c: c <> compared)"),
    "{system}": identifier("compared"),
    "{strata_output}": concatenated("list_transform(ltr.__ltr_key_list(keys), lambda c: 'r.stratum[' || " ~ quoted("c")
        ~ " || '] as ' || " ~ identifier("c") ~ " || ', ')"),
    "{weight}": "case when weights is null then '1e0' else 'v.__ltr_weight' end",
    "{weight_output}": "case when weights is null then '' else 'r.weight, ' end",
    "{n}": number("n", "n >= 1 and n = floor(n)", "an integer from 1"),
    "{baseline}": "coalesce(" ~ quoted("cast(baseline as varchar)") ~ ", 'null')",
    "{relation}": without_placeholders("ltr.__ltr_weighted('(' || losses || ')', weights, keys)"),
})) }};

create or replace macro ltr.worst(rankings, measure, n := 20, keys := []::varchar[], baseline := null, compared := 'system', weights := null) as table
from query({% call without_nulls(["n := 20", "compared := 'system'"]) %}ltr.__ltr_worst(ltr.__ltr_by_rank({{ string(losses) }},
    rankings, '', measure, {{ all_keys }}), n, {{ all_keys }}, baseline, compared, weights){% endcall %});
comment on macro table ltr.worst is 'List the queries that lose most of a measure, with the documents that cost them. Reads rankings (query_id, doc_id, rank, relevance, keys). Returns one row for each query and document: value and loss of the query, grade, rank, ideal rank and loss of the document, and the unjudged documents above it. baseline: a value of the column compared, such as a system, whose values the others lose. weights: a table with query_id, weight and any of the keys; the queries are then ordered by weight times loss.';
