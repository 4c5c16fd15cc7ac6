{#- What measures read of the caller's relation, as numbers. -#}
select
    {{ key_definition("j") }}
    {%- for name in names %},
    {% if name in ["doc_id", "subtopic"] %}j.{{ name }}{% else %}nullif(cast(j.{{ name }} as double), cast('nan' as double)) as {{ name }}{% endif %}
    {%- endfor %}
from {{ relation }} as j
{%- if checks %}
where {{ checks }}
{%- endif %}
