{#- Weights of off-policy estimators. -#}

{#- Return the ratio of the probabilities of the two policies, at most `clip` unless it is NULL. -#}
{% macro clipped_weight(clip) -%}
least(r.ratio, coalesce({{ clip }}, cast('inf' as double)))
{%- endmacro %}
