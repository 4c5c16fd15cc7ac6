{#- Count the findings of sql/checks/ that every comparison of runs looks for in each run, by name. -#}
{%- set name = "score" if scored else "rank" -%}
{%- set number = number_of("r", name, kinds) -%}
select
    {{ nulls("r", ["query_id", "doc_id"]) }} as null_ids,
    {{ not_numbers("r", [name], kinds) }} as no_numbers,
    {%- if twice %}
    {{ repeated(key("r") ~ ", r.doc_id") }} as duplicate_documents,
    {%- endif %}
    {%- if scored %}
    count(*) - count(case when isfinite({{ number }}) then 1 end) as scores_not_finite
    {%- else %}
    count(case when {{ out_of_range(number) }} then 1 end) as ranks_out_of_range
    {%- endif %}
from (
    select
        {{ key_definition("j") }},
        j.doc_id,
        j.{{ name }}
    from {{ run }} as j
) as r
