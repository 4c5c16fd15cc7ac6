{#- What measures read of the caller's relation, as numbers. -#}
{%- if counts -%}
select
    {{ key("r") }},
    {%- for name in names %}
    r.{{ name }},
    {%- endfor %}
    {{ row("r") }}.num_ret
from (
{% endif -%}
select
    {{ key_definition("j") }}
    {%- for name in names %},
    {% if name in ["doc_id", "subtopic"] %}j.{{ name }}{% else %}{{ without_nan("cast(j." ~ name ~ " as double)") }} as {{ name }}{% endif %}
    {%- endfor %}
    {%- if counts %},
    {{ num_ret_field("j", counted) }}
    {%- endif %}
from {{ relation }} as j
{%- if checks %}
where {{ checks }}
{%- endif %}
{%- if counts %}
) as r
{%- endif %}
