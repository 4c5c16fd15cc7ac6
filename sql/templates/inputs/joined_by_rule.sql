{#- Join the values of measures with different rules, for each query. The first of `queries` has the queries of all others. -#}
select
    {%- for name in keys %}
    v1.{{ name }},
    {%- endfor %}
    {%- for number, name in columns %}
    v{{ number }}.{{ name }}{{ "," if not loop.last }}
    {%- endfor %}
from (
    {{ queries[0] | indent(4) }}
) as v1
{%- for query in queries[1:] %}
{%- set row = "v" ~ (loop.index + 1) %}
left join (
    {{ query | indent(4) }}
) as {{ row }}
    on {% for name in keys %}{{ "\n    and " if not loop.first }}{{ row }}.{{ name }} is not distinct from v1.{{ name }}{% endfor %}
{%- endfor %}
