{#- Join the values of measures of accuracy and of measures beyond it. -#}
select
    {%- for name in keys %}
    coalesce(a.{{ name }}, l.{{ name }}) as {{ name }},
    {%- endfor %}
    {%- if not by_query %}
    coalesce(a.queries, l.queries) as queries,
    {%- endif %}
    {%- for row, name in columns %}
    {{ row }}.{{ name }}{{ "," if not loop.last }}
    {%- endfor %}
from (
    {{ accuracy | indent(4) }}
) as a
full join (
    {{ lists | indent(4) }}
) as l
    on {% for name in keys %}{{ "\n    and " if not loop.first }}l.{{ name }} is not distinct from a.{{ name }}{% else %}true{% endfor %}
