{#- Average the measures of each system in an order of ties. Rankings without ties keep their values. -#}
select
    cast(struct_pack(
        {%- for key in keys %}
        {{ key }} := v.{{ key }}{{ "," if not loop.last }}
        {%- endfor %}
    ) as varchar) as keys
    {%- for measure in measures %},
    {{ measure.average }}
    {%- endfor %}
from (
    select
        {%- for key in keys %}
        v.{{ key }}{{ "," if measures or not loop.last }}
        {%- endfor %}
        {%- for measure in measures %}
        coalesce(e.{{ measure.name }}, v.{{ measure.name }}) as {{ measure.name }}{{ "," if not loop.last }}
        {%- endfor %}
    from {{ values }} as v
    left join {{ evaluated }} as e
        on {% for column in columns %}{{ " and " if not loop.first }}e.{{ column }} is not distinct from v.{{ column }}{% endfor %}
) as v
group by all
