{#- Average a table of values over queries with weights: one row for each value of the keys, in the order of the table. -#}
select
    {{ keys }}count(*) as queries,
    sum(w.weight) as weight{% for average in averages %},
    {{ average }}{% endfor %}
from {{ relation }} as v
join (
    {{ checked_weights(weights, "query") | indent(4) }}
) as w
    on w.name = cast(v.query_id as varchar)
{%- if keys %}
group by {{ keys[:-2] }}
{%- endif %}
{%- if in_order %}
order by min(v.__ltr_position)
{%- endif %}
