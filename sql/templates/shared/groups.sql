{#- Grouping columns, for templates that aggregate over a whole group and not over a query. -#}

{#- Reference the grouping columns, followed by a comma; empty without grouping columns. -#}
{% macro group_columns(row) -%}
{% if system(row) %}{{ if_grouped(system(row) ~ ",") }}
{% endif %}
{%- endmacro %}

{#- Compare the groups of two rows. -#}
{% macro same_group(row, other) -%}
1 = 1{% if system(row) %} {{ if_grouped("and " ~ same_system(row, other)) }}{% endif %}
{%- endmacro %}

{#- Return a clause with the grouping columns and the columns that follow; empty if there are none. -#}
{% macro grouped_clause(clause, row, columns) -%}
{%- if columns -%} {{ clause }} {{ if_grouped(system(row) ~ ", ") if system(row) }}{{ columns | join(", ") }}
{%- elif system(row) -%} {{ if_grouped(clause ~ " " ~ system(row)) }}
{%- endif -%}
{%- endmacro %}

{#- Partition a window by group, and by the columns that follow. -#}
{% macro partition_by_group(row) -%}
{{ grouped_clause("partition by", row, varargs) }}
{%- endmacro %}

{#- Group by group, and by the columns that follow. -#}
{% macro group_by_group(row) -%}
{{ grouped_clause("group by", row, varargs) }}
{%- endmacro %}

{#- Return true, or raise an error for invalid keys or a missing column. Check one row, because checking every row of a large log
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
