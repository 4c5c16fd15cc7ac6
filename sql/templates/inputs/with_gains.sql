{#- Join, for each query, the measures that read grades and the measures that read gains in place of grades. -#}
select
    {%- for name in keys %}
    r.{{ name }},
    {%- endfor %}
    {%- for row, name in columns %}
    {{ row }}.{{ name }}{{ "," if not loop.last }}
    {%- endfor %}
from (
    {{ graded | indent(4) }}
) as r
join (
    {{ gained | indent(4) }}
) as v
    on {% for name in keys %}{{ "\n    and " if not loop.first }}v.{{ name }} is not distinct from r.{{ name }}{% endfor %}
