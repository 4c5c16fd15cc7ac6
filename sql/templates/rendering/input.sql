{#- Select the columns that measures read from the caller's relation, cast to numbers. -#}
{%- macro number_of(name) -%}
{%- set number = without_nan("cast(j." ~ name ~ " as double)") -%}
{{ checkable_rank(number) if name.startswith("rank") else number }}
{%- endmacro -%}
{%- set numbers = names | reject("in", ["doc_id", "subtopic"]) | list + optional | list -%}
{%- if optional -%}
select
    {{ key("r") }}
    {%- for name in names %},
    r.{{ name }}
    {%- endfor %}
    {%- for name in optional %},
    {{ without_nan(row("r") ~ "." ~ name) }} as {{ name }}
    {%- endfor %}
from (
{% endif -%}
select
    {{ checked_key_definition("j") if queries_checked else key_definition("j", *names) }}
    {%- for name in names %},
    {% if name in ["doc_id", "subtopic"] %}j.{{ name }}{% elif name in integers %}cast(j.{{ name }} as double) as {{ name }}{%
        else %}{{ number_of(name) }} as {{ name }}{% endif %}
    {%- endfor %}
    {%- if optional %},
    {{ optional_fields("j", names[0], optional) | indent(4) }}
    {%- endif %}
from {{ checked_relation(relation, *numbers) }} as j
{%- if optional %}
) as r
{%- endif %}
