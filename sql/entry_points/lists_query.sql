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
        r.__ltr_one
    from __ltr_lists as r
    group by {{ run_key("r") }}, r.__ltr_one
    {%- if reject_duplicates %}
    having case when count(*) = count(distinct r.doc_id) then true else {{ reject_duplicate_document() }} end
    {%- endif %}
),
{{ blocks }}
select
    {{ key_output("q") }}{{ outputs | indent(4) }}
from __ltr_queries as q
{{ joins }}
