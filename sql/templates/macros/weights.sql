{#- Write, in SQL, the relation of the rows of a table of values with the weights of their queries. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated, concatenated_by, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import identifier, listed, quoted, with_braces with context -%}
create or replace macro ltr.__ltr_keyed(keys) as
'lambda c: list_contains(' || {{ listed("list_transform(list_concat(['query_id'], ltr.__ltr_key_list(keys)), lambda c: lower(c))") }} || ', lower(c))';

create or replace macro ltr.__ltr_weighted(relation, weights, keys) as
case
    when weights is null then relation
    else '(' || {{ with_braces(replaced(string(weighted_rows), {
        "{keyed}": "ltr.__ltr_keyed(keys)",
        "{weights}": "'query_table(' || " ~ quoted("cast(weights as varchar)") ~ " || ')'",
        "{relation}": "relation",
    })) }} || ')'
end;

{#- Add the rows of totals to a relation; see `with_totals`. `segments` is a list of names. #}
{%- set before, after = totals.split("{relation}") %}
{%- set after, end = after.split("{levels}") %}
{%- set keys_of_fields = "list_aggregate(list_transform(segments, lambda c: " ~ identifier("c") ~ " || ' := v.' || " ~ identifier("c") ~ "), 'string_agg', ', ')" %}
create or replace macro ltr.__ltr_with_totals(relation, totals, segments) as
case
    when totals is null then error('totals must not be NULL: leave it out for its default false')
    when not totals then relation
    when len(segments) = 0 then error('{{ no_segments }}')
    else {{ string(before) }} || relation || {{ string(after) }} || {{ concatenated("list_transform(range(len(segments)), lambda i: " ~ string(level) ~ ")") | replace("{nulls}", "' || list_aggregate(list_transform(segments[i + 1:], lambda c: 'null as ' || " ~ identifier("c") ~ "), 'string_agg', ', ') || '") | replace("{fields}", "' || " ~ keys_of_fields ~ " || '") }} || {{ string(end) }}
end;

{#- Return the SQL after `group by` of means with totals; see `grouped`. #}
create or replace macro ltr.__ltr_rolled_keys(keys) as
case
    when len(list_filter(ltr.__ltr_key_list(keys), lambda c: c <> 'system')) = 0 then error('{{ no_segments }}')
    else {{ concatenated("list_transform(list_filter(ltr.__ltr_key_list(keys), lambda c: c = 'system'), lambda c: 'v.' || " ~ identifier("c") ~ " || ', ')") }}
        || 'rollup(' || {{ concatenated_by("list_transform(list_filter(ltr.__ltr_key_list(keys), lambda c: c <> 'system'), lambda c: 'v.' || " ~ identifier("c") ~ ")", "', '") }} || ')'
end;
