{#- Create ltr.__ltr_query, which returns the query that ltr.evaluate and ltr.per_query run. If all measures are written as NAME or
    NAME@k, it is put together from rendered texts. Otherwise the query calls ltr.measures_query. DuckDB binds that long expression
    only then, because the call is a text. -#}
{%- from "macros/query_texts/pieces.sql" import bound, concatenated, concatenated_by, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import argument, argument_list, identifier, listed, with_braces, without_placeholders with context -%}

{#- Look up the texts of each measure; NULL for measures that are not plain. #}
{% macro found(strings) -%}
list_transform({{ strings }}, lambda m: {
    'name': '"' || m || '"',
    'number': regexp_extract(m, '@(.*)', 1),
    'texts': {{ constant_entry(texts, constant_entry(names, "lower(regexp_replace(m, '@[1-9][0-9]{0,8}$', '@'))")) }}
})
{%- endmacro %}

{#- Join one of the texts of all measures. #}
{% macro joined(name) -%}
{{ concatenated("list_transform(every, lambda m: replace(replace(m['texts']['" ~ name ~ "'], '{name}', m['name']), '{k}', m['number']))") }}
{%- endmacro %}

{% macro query_text() -%}
{%- set key_names = "list_transform(keys, lambda c: 'v.' || " ~ identifier("c") ~ ")" -%}
{{ with_braces(replaced("case when averaged then " ~ string(averages) ~ " else '{per_query}' end", {
    "{per_query}": constant_entry(queries, "list_aggregate(list_transform(every, lambda m: m['texts']['rows']), 'min')"),
    "{windows}": concatenated("list_sort(list_distinct(flatten(list_transform(every, lambda m: m['texts']['windows']))), 'asc')"),
    "{values}": joined("value"),
    "{outputs}": joined("output"),
    "{averages}": joined("average"),
    "{keys}": listed("keys"),
    "{key_columns}": concatenated("list_transform(" ~ key_names ~ ", lambda c: c || ', ')"),
    "{group_by}": "case when len(keys) = 0 then '' else ' group by ' || " ~ concatenated_by(key_names, "', '") ~ " end",
    "{relation}": without_placeholders("relation"),
})) }}
{%- endmacro -%}

create or replace macro ltr.__ltr_plain_query(relation, measures, keys, averaged) as
{{ bound("every", found("measures"), "case when len(every) > 0 and len(list_filter(every, lambda m: m['texts']['rows'] is null)) = 0 then "
    ~ query_text() ~ " end") }};

create or replace macro ltr.__ltr_query(relation, measures, keys, averaged, convention, weights, totals) as
coalesce(
    case
        when not totals and weights is null and convention is null
            and len(list_distinct(try_cast(measures as varchar[]))) = len(try_cast(measures as varchar[]))
            and not {{ wrong_keys }}
            and not list_has_any(list_transform(try_cast(keys as varchar[]), lambda c: lower(c)),
                list_transform(list_concat(['queries'], try_cast(measures as varchar[])), lambda m: lower(m)))
        then ltr.__ltr_plain_query(relation, try_cast(measures as varchar[]), try_cast(keys as varchar[]), averaged)
    end,
    'from query(ltr.measures_query(' || {{ argument("relation") }} || ', false, '
        || {{ argument_list("coalesce(try_cast(measures as varchar[]), [null])") }} || ', '
        || {{ argument_list("keys") }} || ', ' || cast(averaged as varchar) || ', ' || {{ argument("convention") }}
        || ', ' || {{ argument("weights") }} || case when totals then ', true))' else '))' end
);
