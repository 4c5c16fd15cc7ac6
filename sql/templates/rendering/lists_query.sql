{#- Compute measures beyond accuracy for every list of a run, with one block of CTEs for each row source. -#}
with __ltr_lists as (
    {{ lists | indent(4) }}
),
{%- for name, text in given.items() %}
__ltr_given_{{ name }} as (
    {{ text | indent(4) }}
),
{%- endfor %}
__ltr_queries as (
    select
        {{ run_key("r") }},
        0 as __ltr_one
    {%- if reject_duplicates %}
    from (
        select
            {{ run_key("l") }},
            {{ times_in_list("l.doc_id") }} as times
        from __ltr_lists as l
        group by {{ run_key("l") }}, l.doc_id
    ) as r
    group by {{ run_key("r") }}
    having case when max(r.times) = 1 then true else {{ reject_duplicate_document() }} end
    {%- else %}
    from __ltr_lists as r
    group by {{ run_key("r") }}
    {%- endif %}
),
{{ blocks }}
select
    {{ key_output("q") }}{{ outputs | indent(4) }}
from __ltr_queries as q
{{ joins }}
