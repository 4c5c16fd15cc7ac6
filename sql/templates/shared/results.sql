{#- Checks of results. -#}

{#- Return a value, or raise an error with a message and the SQL `where` it occurs if it is infinite or NaN. -#}
{% macro finite(value, message, where) -%}
case
    when {{ value }} is null or abs({{ value }}) <= 1.7976931348623157e308 then {{ value }}
    else {{ error_of(message, where, "double") }}
end
{%- endmacro %}
