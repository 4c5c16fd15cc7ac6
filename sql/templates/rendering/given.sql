{#- Select a table that measures beyond accuracy read in addition to the run: its ids, and its other columns or NULL. -#}
{%- macro ids_of(row, more) -%}
{% for id in ids %}{{ row }}.{{ id }}{{ "," if more or not loop.last }}
{% endfor %}
{%- endmacro -%}
{%- set fields_of_table = table_fields("j", ids, types, has) -%}
{%- set ids_of_j = [] -%}
{%- for id in ids %}{% set _ = ids_of_j.append("j." ~ id) %}{% endfor -%}
{%- set typed = typed_fields("j", table, ids, types) -%}
select
    {{ ids_of("g", fields) | indent(4) -}}
    {%- for quoted, name in fields %}
    {{ row("g") }}.{{ quoted }} as {{ name }}{{ "" if loop.last else "," }}
    {%- endfor %}
from (
    {%- if typed %}
    select
        {{ ids_of("j", true) | indent(8) }}
        {{- typed }}
    from (
        select
            {{ ids_of("j", true) | indent(12) }}
            {{- fields_of_table }}
        from {{ relation }} as j
        where {{ bytewise_check(*ids_of_j) if ids else "true" }}
    ) as j
    {%- else %}
    select
        {{ ids_of("j", fields_of_table) | indent(8) }}
        {{- fields_of_table | indent(8) }}
    from {{ relation }} as j
    {%- endif %}
) as g
