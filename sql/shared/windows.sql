{#- The window columns that a base can carry, each over rows `r` of that base. A query computes those that its measures read. -#}

{#- Documents -#}

{% macro relevant_so_far(rel) -%}
sum(case when r.relevance >= {{ rel }} then 1e0 else 0e0 end) over (partition by {{ key("r") }} order by r.rank asc nulls last rows between unbounded preceding and current row)
{%- endmacro %}

{% macro ideal_rank() -%}
row_number() over (partition by {{ key("r") }} order by r.relevance desc nulls last)
{%- endmacro %}

{#- Documents of one grade share the first place that they take. -#}
{% macro shared_ideal_rank() -%}
rank() over (partition by {{ key("r") }} order by r.relevance desc nulls last)
{%- endmacro %}

{#- Subtopics -#}

{% macro covered_before() -%}
row_number() over (partition by {{ key("r") }}, r.subtopic order by r.rank asc nulls last) - 1
{%- endmacro %}

{% macro ideal_covered_before() -%}
row_number() over (partition by {{ key("r") }}, r.subtopic order by r.ideal_rank asc nulls last) - 1
{%- endmacro %}

{#- Lists: equal ranks share the mean of the places that they take. -#}

{% macro average_rank_a(k) -%}
{{ average_rank("r.rank_a", k) }}
{%- endmacro %}

{% macro average_rank_b(k) -%}
{{ average_rank("r.rank_b", k) }}
{%- endmacro %}

{% macro average_rank(rank, k) -%}
rank() over (partition by {{ key("r") }}, case when {{ in_both(k, "r") }} then 1 else 0 end order by {{ rank }} asc nulls last) + (count(*) over (partition by {{ key("r") }}, case when {{ in_both(k, "r") }} then 1 else 0 end, {{ rank }}) - 1) / 2e0
{%- endmacro %}
