{#- Create ltr.__ltr_measures, which parses and checks measure strings. -#}
{%- from "macros/query_texts/parsed.sql" import looked_up, read, with_values with context -%}
{%- from "macros/query_texts/checked.sql" import checked, with_placeholders with context -%}
create or replace macro ltr.__ltr_measures(measures, shape, keys, convention) as
{{ with_placeholders(checked(with_values(looked_up(read("measures"))))) }};
