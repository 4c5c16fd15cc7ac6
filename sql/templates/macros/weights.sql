{#- Write, in SQL, the relation of the rows of a table of values with the weights of their queries. -#}
{%- from "macros/query_texts/pieces.sql" import replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import listed, quoted, with_braces with context -%}
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
