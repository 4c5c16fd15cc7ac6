{#- The helper macros: what the macros of measures share. -#}

{#- The name of a table. One named like a CTE of the macros would not be read: the CTE would. -#}
create or replace macro ltr.__ltr_table(name) as case
    when starts_with(ltrim(lower(name), '"'), '__ltr_')
    then error('names that start with __ltr_ are for the macros themselves, give another one to ' || name)
    else name
end;

{#- An option of a macro: '' for a choice that is allowed, true for a number. #}
{% for check in checks -%}
create or replace macro ltr.__ltr_{{ check.name }}(macro, value) as case
    when {{ check.condition }}
    then {{ "''" if check.choice else "true" }}
    else error('ltr.' || macro || {{ string(": " ~ check.parameter ~ " must be " ~ check.allowed ~ ", got ") }} || coalesce(cast(value as varchar), 'NULL'))
end;

{% endfor -%}

create or replace macro ltr.__ltr_check_keys(names, keys) as {{ keys_check }};

{#- Gains, and conditions on the rows of a query. #}
{% for name, arguments, body in shared -%}
create or replace macro ltr.__ltr_{{ name }}({{ arguments | join(", ") }}) as {{ body }};

{% endfor -%}

{#- The rows and the queries of a table, with the key of a ranking. #}
{% for name, query in tables.items() -%}
create or replace macro ltr.__ltr_{{ name }}(rankings, keys) as table
{{ query }};

{% endfor -%}
