{#- What measures read of the caller's relation, as numbers. -#}
select
    {{ key_definition("j") }}
    {%- for name in names %},
    {% if name in ["doc_id", "subtopic"] %}j.{{ name }}{% else %}{{ without_nan("cast(j." ~ name ~ " as double)") }} as {{ name }}{% endif %}
    {%- endfor %}
from {{ relation }} as j
{%- if checks %}
where {{ checks }}
{%- endif %}
