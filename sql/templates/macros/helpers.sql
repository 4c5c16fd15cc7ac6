{#- Create the helper macros that the macros of measures share. -#}

{#- Return the name of a table, or raise an error if it starts with __ltr_, like the CTEs of the macros. -#}
create or replace macro ltr.__ltr_table(name) as case
    when starts_with(ltrim(lower(name), '"'), '__ltr_')
    then error('names that start with __ltr_ are reserved: rename ' || name)
    else name
end;

{#- Validate an option of a macro: '' for a valid choice, true for a valid number, else an error. #}
{% for check in checks -%}
create or replace macro ltr.__ltr_{{ check.name }}(macro, value) as case
    when {{ check.condition }}
    then {{ "''" if check.choice else "true" }}
    else error('ltr.' || macro || {{ string(": " ~ check.parameter ~ " must be " ~ check.allowed ~ ", got ") }} || coalesce(cast(value as varchar), 'NULL'))
end;

{% endfor -%}

{#- Return keys as a list, or raise an error if they are a text. The engine would give an error about lambda functions. #}
create or replace macro ltr.__ltr_key_list(keys) as case
    when keys is not null and try_cast(keys as varchar[]) is null
    then error({{ string(keys_message) }} || cast(keys as varchar))
    else try_cast(keys as varchar[])
end;

create or replace macro ltr.__ltr_check_keys(names, query_id, keys) as {{ keys_check }};

{#- Raise an error if ids are bytes, or text compared by a collation, else return true. #}
create or replace macro ltr.__ltr_bytewise(id) as {{ bytewise }};

{#- The names stand in one text, because a list of them, or a regular expression, takes longer to plan. -#}
{%- set numbers = "DOUBLE FLOAT BIGINT UBIGINT INTEGER UINTEGER SMALLINT USMALLINT TINYINT UTINYINT HUGEINT UHUGEINT BIGNUM BOOLEAN" -%}
{%- set of_numbers %}contains('{{ numbers }} "NULL"', typeof(value))
        or starts_with(typeof(value), 'DECIMAL'){% endset %}
{#- Raise an error if the value of a column is no number, such as a text, a value of an ENUM or a date, else return true. The type is
    known when the query is planned, so columns of numbers and truth values skip this test. #}
create or replace macro ltr.__ltr_number(value) as case
    when {{ of_numbers }} or value is null or try_cast(cast(value as varchar) as double) is not null then true
    else error(alias(value) || ' is not a number, got ''' || cast(value as varchar) || ''': replace texts by numbers, such as ''good'' by 2')
end;

{#- Raise an error if a score is the text of a whole number that a double rounds, else return true. #}
create or replace macro ltr.__ltr_exact(value) as case
    when {{ of_numbers }} then true
    when length(cast(value as varchar)) > 15
        and try_cast(cast(value as varchar) as hugeint) <> try_cast(try_cast(cast(value as varchar) as double) as hugeint)
    then error('score is text and holds ' || cast(value as varchar) || ', which a double rounds: cast the column to HUGEINT or DECIMAL')
    else true
end;

{#- The macros of sql/templates/shared/gains.sql and sql/templates/shared/validation.sql. #}
{% for name, arguments, body in shared -%}
create or replace macro ltr.__ltr_{{ name }}({{ arguments | join(", ") }}) as {{ body }};

{% endfor -%}

{#- Select the rows or the queries of a table, with the key of each ranking. #}
{% for name, query in tables.items() -%}
create or replace macro ltr.__ltr_{{ name }}(rankings, keys) as table
{{ query }};

{% endfor -%}
