{#- Grouping columns, for templates that aggregate over a whole group and not over a query. -#}

{#- Reference the grouping columns, followed by a comma; empty without grouping columns. -#}
{% macro group_columns(row) -%}
{% if system(row) %}{{ system(row) }},
{% endif %}
{%- endmacro %}

{#- Compare the groups of two rows. -#}
{% macro same_group(row, other) -%}
{{ same_system(row, other) if system(row) else "1 = 1" }}
{%- endmacro %}

{#- Partition a window by group, and by the columns that follow. -#}
{% macro partition_by_group(row) -%}
{%- set listed = ([system(row)] if system(row) else []) + (varargs | list) -%}
{{ "partition by " ~ listed | join(", ") if listed else "" }}
{%- endmacro %}

{#- Group by group, and by the columns that follow. -#}
{% macro group_by_group(row) -%}
{%- set listed = ([system(row)] if system(row) else []) + (varargs | list) -%}
{{ "group by " ~ listed | join(", ") if listed else "" }}
{%- endmacro %}

{#- Return true, or raise an error for invalid keys or a missing column. Checks one row, because checking every row of a large log
    would take longer than its sums. -#}
{% macro keys_checked_once(relation) -%}
{%- if keys_check("k") -%}
coalesce((
    select {{ keys_check("k") }}
    from (
        select
            {{ run_key_definition("l", *varargs) | indent(12) }}
        from {{ run_relation(relation) }} as l
        limit 1
    ) as k
), true)
{%- else -%}
true
{%- endif -%}
{%- endmacro %}
