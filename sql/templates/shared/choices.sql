{#- Parameters whose value is a choice. -#}

{#- Return the expression that belongs to the value of a choice parameter. -#}
{% macro choose(value, choices) -%}
{%- if value is call_time -%} case {{ value }}{% for choice, expression in choices.items() %} when '{{ choice }}' then {{ expression }}{% endfor %} end
{%- else -%} {{ choices[value] }}
{%- endif -%}
{%- endmacro %}
