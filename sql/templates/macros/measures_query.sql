{#- Create ltr.measures_query, which writes the query of a list of measures. ltr.per_query and other macros run it by `from query(...)`:
    DuckDB evaluates the expression to a text before it binds the query. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import listed, without_placeholders with context -%}
{%- from "macros/query_texts/filled.sql" import filled with context -%}
{%- from "macros/query_texts/assembled.sql" import block_texts, joins_of, result_text, written with context -%}

{#- Return the query of the values of each query. -#}
{% macro query_text(measures) -%}
{%- set shapes = "list_transform(" ~ measures ~ ", lambda m: m['input'])" -%}
{%- set by_subtopic = "list_contains(" ~ shapes ~ ", 'covers')" -%}
{%- set by_score = "list_contains(" ~ shapes ~ ", 'scored_pairs')" -%}
{{ replaced(
    constant_entry(queries, "case when paired and " ~ by_score ~ " then 'scored_pairs' when paired then 'pairs' when "
        ~ by_subtopic ~ " then 'covers' else 'rankings' end || case when not paired and list_contains(" ~ shapes
        ~ ", 'pairs') then ' against ideal' else '' end"),
    {
        "{blocks}": block_texts(measures),
        "{joins}": joins_of(measures),
        "{outputs}": concatenated("list_transform(" ~ measures ~ ", lambda m: case when averaged then m['output'] else m['by_query'] end)"),
        "{documents}": "case when " ~ by_subtopic ~ " then '__ltr_graded' else '__ltr_rankings' end",
        "{read}": "case when len(list_filter(" ~ measures
            ~ ", lambda m: m['reads'] <> 'relevant' or m['input'] = 'pairs')) = 0 then " ~ string(read["relevant"])
            ~ " else " ~ string(read["judged"]) ~ " end",
        "{keys}": listed("keys"),
        "{relation}": without_placeholders("relation"),
    }
) }}
{%- endmacro %}

{% macro result(measures) -%}
{{ result_text(measures, query_text, "totals") }}
{%- endmacro -%}

create or replace macro ltr.measures_query(relation, paired, measures, keys, averaged, convention, weights := null, totals := false) as
{{ written(result, filled("ltr.__ltr_measures(measures, case when paired then 'pairs' else 'rankings' end, keys, convention)", further=["by_query"])) }};
comment on macro ltr.measures_query is 'Return the text of the query that ltr.per_query, ltr.evaluate, ltr.compare_rankings, ltr.compare and ltr.distribution run. `relation` is SQL of rankings or of pairs of ranks, as it stands after the keyword FROM.';
