{#- The words that measures are written in. `d` is a row of the measure's base (bases/). -#}

{#- Documents: one row per document of a query, with `rank` (NULL = not retrieved) and `relevance` (NULL = not judged). -#}

{% macro in_top(k, rank="d.rank") -%}
{%- if k is none -%} {{ rank }} is not null
{%- elif k is symbol -%} {{ rank }} <= coalesce({{ k }}, {{ rank }})
{%- else -%} {{ rank }} <= {{ k }}
{%- endif -%}
{%- endmacro %}

{% macro relevant(rel) -%}
d.relevance >= {{ rel }}
{%- endmacro %}

{% macro num_rel(rel) -%}
sum(case when {{ relevant(rel) }} then 1e0 else 0e0 end)
{%- endmacro %}

{% macro num_rel_ret(k, rel) -%}
sum(case when {{ in_top(k) }} and {{ relevant(rel) }} then 1e0 else 0e0 end)
{%- endmacro %}

{#- A negative grade has no gain: in TREC's judgments it marks a document as pooled but not judged. -#}
{% macro gain_of(relevance, gain) -%}
{%- if gain is symbol -%} case {{ gain }} when 'linear' then {{ relevance }} else power(2e0, {{ relevance }}) - 1 end
{%- elif gain == "linear" -%} {{ relevance }}
{%- else -%} (power(2e0, {{ relevance }}) - 1)
{%- endif -%}
{%- endmacro %}

{% macro discounted_gain(rank, k, gain) -%}
sum(case when {{ in_top(k, rank) }} and d.relevance > 0 then {{ gain_of("d.relevance", gain) }} / log2({{ rank }} + 1) else 0e0 end)
{%- endmacro %}

{#- Subtopics: one row per document and subtopic that it covers, with `rank` and `ideal_rank` (place in the greedy ideal). -#}

{% macro discounted_novelty(rank, covered_before, k, alpha) -%}
sum(case when {{ in_top(k, rank) }} then power(1e0 - {{ alpha }}, {{ covered_before }}) / log2({{ rank }} + 1) else 0e0 end)
{%- endmacro %}

{#- Lists: one row per document of both rankings, with `rank_a` and `rank_b`. -#}

{% macro in_both(k, row="d") -%}
{%- if k is none -%} {{ row }}.rank_a is not null and {{ row }}.rank_b is not null
{%- else -%} {{ in_top(k, row ~ ".rank_a") }} and {{ in_top(k, row ~ ".rank_b") }}
{%- endif -%}
{%- endmacro %}

{% macro num_both(k) -%}
sum(case when {{ in_both(k) }} then 1e0 else 0e0 end)
{%- endmacro %}

{#- n times the covariance of two average ranks: both have the mean (n + 1) / 2. -#}
{% macro rank_covariance(rank, other_rank, k) -%}
(sum(case when {{ in_both(k) }} then {{ rank }} * {{ other_rank }} else 0e0 end) - {{ num_both(k) }} * power({{ num_both(k) }} + 1, 2) / 4)
{%- endmacro %}

{#- Pairs: one row per two documents x, y of both rankings, with `x_a`, `x_b`, `y_a`, `y_b`, and x not below y in ranking a. -#}

{% macro pair_in_both(k) -%}
{%- if k is none -%} d.x_a is not null
{%- else -%} {{ in_top(k, "d.y_a") }} and {{ in_top(k, "d.x_b") }} and {{ in_top(k, "d.y_b") }}
{%- endif -%}
{%- endmacro %}

{% macro num_pairs(k, condition="") -%}
sum(case when {{ pair_in_both(k) }}{% if condition %} and {{ condition }}{% endif %} then 1e0 else 0e0 end)
{%- endmacro %}

{% macro concordant() -%} d.x_a < d.y_a and d.x_b < d.y_b {%- endmacro %}
{% macro discordant() -%} d.x_a < d.y_a and d.x_b > d.y_b {%- endmacro %}
