{#- Add the interval of each mean to the means of measures. `means` is their query, and `spread` that of the distribution of the values. The
    interval of a geometric mean is that of logarithms. -#}
with __ltr_averages as (
    {{ means | indent(4) }}
),
__ltr_spreads as (
    {{ spread | indent(4) }}
)
select
    a.*
    {%- for measure in measures %},
    {%- for end in ["low", "high"] %}
    max(case when s.measure = {{ string(measure.name) }} then {{ "exp(s." ~ end ~ ")" if measure.geometric else "s." ~ end }} end) as {{ identifier(measure.name ~ "_" ~ end) }}{{ "," if end == "low" }}
    {%- endfor %}
    {%- endfor %}
from __ltr_averages as a
left join __ltr_spreads as s
    on true{% for key in keys %} and s.{{ key }} is not distinct from a.{{ key }}{% endfor %}
group by all
