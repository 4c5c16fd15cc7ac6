{#- Replace the intervals of a distribution by those of another query, and add its further columns. -#}
select
    d.* replace (i.mean as mean, i.stderr as stderr, i.low as low, i.high as high),
    i.* exclude ({% for key in keys %}{{ key }}, {% endfor %}measure, mean, stderr, low, high)
from (
    {{ spread | indent(4) }}
) as d
left join (
    {{ intervals | indent(4) }}
) as i
    on i.measure = d.measure{% for key in keys %} and i.{{ key }} is not distinct from d.{{ key }}{% endfor %}
order by {% for key in keys %}d.{{ key }} asc, {% endfor %}list_position({{ names }}, d.measure) asc
