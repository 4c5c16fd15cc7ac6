{#- Gains and discounts. Each macro of this file is also a macro of DuckDB, ltr.__ltr_NAME. A measure's
    macro calls it for parameters whose values are known only at the call. -#}

{#- Return the gain of a grade: the grade itself, 2^grade - 1 with gain = 'exponential', or 1 with gain = 'binary'. -#}
{% macro gain_of(relevance, gain) -%}
{{ choose(gain, {"linear": relevance, "exponential": exponential_gain(relevance), "binary": "case when " ~ relevance ~ " > 0 then 1e0 else 0e0 end"}) }}
{%- endmacro %}

{#- Return 2^grade - 1, or raise an error for a grade above 300. The limit keeps sums of gains far below 2^1024, where a double
    overflows. -#}
{% macro exponential_gain(relevance) -%}
case when {{ relevance }} > 300 then {{ error("a grade is above 300, too large for gain := 'exponential'", "double") }} else power(2e0, {{ relevance }}) - 1 end
{%- endmacro %}

{#- True if a document has a gain: its grade is at least `level`, or above 0 if there is no level. -#}
{% macro has_gain(level, relevance) -%}
{%- if level is none -%} {{ relevance }} > 0
{%- elif level is call_time -%} {{ relevance }} > 0 and ({{ level }} is null or {{ relevance }} >= {{ level }})
{%- else -%} {{ relevance }} >= {{ level }}
{%- endif -%}
{%- endmacro %}

{#- Return the divisor of a gain at a rank: log2(rank + 1), or the rank with discount = 'rank'. -#}
{% macro discount_divisor(discount, rank) -%}
{{ choose(discount, {"log2": "log2(" ~ rank ~ " + 1)", "rank": rank}) }}
{%- endmacro %}

{#- Probability that a document of a grade satisfies the user: its gain divided by `max_grade`, or an exponential gain
    divided by 2^max_grade. -#}
{% macro satisfaction(relevance, max_grade, gain) -%}
case when {{ relevance }} > 0 then {{ gain_of(relevance, gain) }} / {{ choose(gain, {"linear": max_grade, "exponential": "power(2e0, " ~ max_grade ~ ")"}) }}
    else 0e0 end
{%- endmacro %}
