{#- Parameters whose value is a choice. -#}

{#- What a measure is under each value of a choice. -#}
{% macro choose(value, choices) -%}
{%- if value is symbol -%} case {{ value }}{% for choice, expression in choices.items() %} when '{{ choice }}' then {{ expression }}{% endfor %} end
{%- else -%} {{ choices[value] }}
{%- endif -%}
{%- endmacro %}
