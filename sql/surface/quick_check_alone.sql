{#- The part of the findings (checks/) that every comparison of runs looks for in each of them: how often there is each, by name
    of the finding. A hash that two documents share by chance is no finding. -#}
{%- set number = "try_cast(r." ~ ("score" if scored else "rank") ~ " as double)" -%}
select
    {{ nulls("r", ["query_id", "doc_id"]) }} as null_ids,
    {%- if twice %}
    count(*) - count(distinct hash({{ key("r") }}, r.doc_id)) as documents_twice,
    {%- endif %}
    {%- if scored %}
    count(*) - count(case when isfinite({{ number }}) then 1 end) as scores_not_finite,
    count(r.score) - count({{ number }}) as no_numbers
    {%- else %}
    count({{ number }}) - count(case when {{ number }} >= 1 and isfinite({{ number }}) then 1 end) as ranks_below_one,
    count(r.rank) - count({{ number }}) as no_numbers
    {%- endif %}
from (
    select
        {{ key_definition("j") }},
        j.doc_id,
        j.{{ "score" if scored else "rank" }}
    from {{ run }} as j
) as r
