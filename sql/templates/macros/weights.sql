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

{#- Return the names of segments, or raise an error if totals over them cannot be made; see `refused_without`. #}
create or replace macro ltr.__ltr_segments(segments) as case
    when len(segments) = 0 then error('{{ no_segments }}')
    when list_contains(list_transform(segments, lambda c: lower(c)), '{{ total }}') then error('{{ key_of_totals }}')
    else segments
end;

{#- Return the names of keys, and that of the column of totals if a call adds them. #}
create or replace macro ltr.__ltr_grouping(keys, totals) as
list_concat(ltr.__ltr_key_list(keys), case when totals then ['{{ total_within }}'] else []::varchar[] end);

{#- Add the rows of totals to a relation; see `with_totals`. `segments` is a list of names. #}
{%- set before, after = totals.split("{relation}") %}
{%- set after, end = after.split("{levels}") %}
{%- set keys_of_fields = "list_aggregate(list_transform(segments, lambda c: " ~ identifier("c") ~ " || ' := v.' || "
    ~ identifier("c") ~ "), 'string_agg', ', ')" %}
create or replace macro ltr.__ltr_with_totals(relation, totals, segments) as
case
    when totals is null then error('totals must not be NULL: leave it out for its default false')
    when not totals then relation
    else {{ string(before) }} || relation || {{ string(after) }}
        || {{ concatenated("list_transform(range(len(ltr.__ltr_segments(segments))), lambda i: " ~ string(level) ~ ")")
        | replace("{nulls}", "' || list_aggregate(list_transform(segments[i + 1:], lambda c: 'null as ' || " ~ identifier("c") ~ "), 'string_agg', ', ') || '")
        | replace("{lacking}", "' || cast(len(segments) - i as varchar) || '")
        | replace("{fields}", "' || " ~ keys_of_fields ~ " || '") }} || {{ string(end) }}
end;

{#- Return the SQL of the column of totals, and that after `group by` of means with totals; see `grouped`. #}
{%- set segments = "list_transform(ltr.__ltr_segments(list_filter(ltr.__ltr_key_list(keys), lambda c: c <> 'system')), lambda c: 'v.' || "
    ~ identifier("c") ~ ")" %}
create or replace macro ltr.__ltr_total_of_keys(keys) as
{{ concatenated_by("list_transform(" ~ segments ~ ", lambda c: replace(" ~ string(grouping) ~ ", '{key}', c))", "' + '") }} || ' as {{ total }}, ';

create or replace macro ltr.__ltr_rolled_keys(keys) as
{{ concatenated("list_transform(list_filter(ltr.__ltr_key_list(keys), lambda c: c = 'system'), lambda c: 'v.' || " ~ identifier("c") ~ " || ', ')") }}
    || 'rollup(' || {{ concatenated_by(segments, "', '") }} || ')';
