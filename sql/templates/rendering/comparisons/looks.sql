{#- Choose between SQL for the sequential test and for the others. A query whose test is known has only one of them. -#}
{% macro at_looks(sequential_sql, other_sql) -%}
{%- if sequential == "false" -%}
{{ other_sql }}
{%- else -%}
case when {{ sequential }} then {{ sequential_sql }} else {{ other_sql }} end
{%- endif -%}
{%- endmacro %}
