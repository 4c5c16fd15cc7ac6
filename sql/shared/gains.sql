{#- Gains and discounts. Each macro of this file is also a macro of DuckDB, ltr.__ltr_NAME, which the macros of measures call
    where a parameter is known only at the call. -#}

{#- The gain of a grade. Negative grades have none: in TREC's judgments they mark documents as pooled but not judged. -#}
{% macro gain_of(relevance, gain) -%}
{{ choose(gain, {"linear": relevance, "exponential": exponential(relevance)}) }}
{%- endmacro %}

{#- The exponential gain of a grade: doubles end at 2^1024. -#}
{% macro exponential(relevance) -%}
case when {{ relevance }} > 300 then {{ error("a grade is above 300, too large for gain := 'exponential'") }} else power(2e0, {{ relevance }}) - 1 end
{%- endmacro %}

{#- Whether a grade has a gain: any grade above 0, or from `level` on. -#}
{% macro gaining(level, relevance) -%}
{%- if level is none -%} {{ relevance }} > 0
{%- elif level is symbol -%} {{ relevance }} > 0 and ({{ level }} is null or {{ relevance }} >= {{ level }})
{%- else -%} {{ relevance }} >= {{ level }}
{%- endif -%}
{%- endmacro %}

{#- The divisor of a gain at a rank. -#}
{% macro discounted_by(discount, rank) -%}
{{ choose(discount, {"log2": "log2(" ~ rank ~ " + 1)", "rank": rank}) }}
{%- endmacro %}

{#- The probability that a document of a grade satisfies a reader: its gain as a share of the largest on the scale. -#}
{% macro satisfies(relevance, max_grade, gain) -%}
case when {{ relevance }} > 0 then {{ gain_of(relevance, gain) }} / {{ choose(gain, {"linear": max_grade, "exponential": "power(2e0, " ~ max_grade ~ ")"}) }} else 0e0 end
{%- endmacro %}
