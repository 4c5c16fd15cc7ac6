{#- Weights of off-policy estimators. -#}

{#- Return the ratio of the probabilities of the two policies, at most `clip` unless it is NULL. -#}
{% macro clipped_weight(clip) -%}
case when {{ clip }} is null then r.ratio else least(r.ratio, {{ clip }}) end
{%- endmacro %}
