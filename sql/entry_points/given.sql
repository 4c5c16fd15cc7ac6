{#- Select a table that measures beyond accuracy read in addition to the run: its ids, and its other columns or NULL. -#}
select
    {%- for id in ids %}
    g.{{ id }}{{ "," if fields or not loop.last }}
    {%- endfor %}
    {%- for quoted, name in fields %}
    {{ row("g") }}.{{ quoted }} as {{ name }}{{ "" if loop.last else "," }}
    {%- endfor %}
from (
    select
        {%- set columns = table_fields("j", ids, types, has) %}
        {{ columns | indent(8) }}{{ "," if columns and ids }}
        {%- for id in ids %}
        j.{{ id }}{{ "" if loop.last else "," }}
        {%- endfor %}
    from {{ relation }} as j
) as g
