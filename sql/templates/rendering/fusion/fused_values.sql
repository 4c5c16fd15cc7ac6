{#- Give each document of each run a value: from its rank, or its normalised score. With `absent`, also give one to the documents that a
    run lacks. -#}
{%- set reads_lists = "q." in value or absent -%}
{%- set reads_queries = "p." in value or absent -%}
{%- if reads_queries -%}
with __ltr_documents as {{ materialized }}(
    select
        {{ fused_key("l") }},
        l.doc_id
    from __ltr_listed as l
    group by {{ fused_key("l") }}, l.doc_id
),
__ltr_pools as (
    select
        {{ fused_key("d") }},
        count(*) as documents
    from __ltr_documents as d
    group by {{ fused_key("d") }}
){{ "," if reads_lists }}
{% endif -%}
{%- if reads_lists -%}
{{ "" if reads_queries else "with " }}__ltr_lists as {{ materialized }}(
    {{ list_statistics(reads_scores) | indent(4) }}
)
{% endif -%}
select
    {{ fused_key("l") }},
    l.doc_id,
    {{ system("l") }},
    {%- if absent %}
    1 as held,
    {%- endif %}
    {{ value | indent(4) }} as value
from __ltr_listed as l
{%- if reads_lists %}
join __ltr_lists as q
    on {{ same_fused_key("q", "l") }} and q.system = l.system
{%- endif %}
{%- if reads_queries %}
join __ltr_pools as p
    on {{ same_fused_key("p", "l") }}
{%- endif %}
{%- if absent %}
union all
select
    {{ fused_key("d") }},
    d.doc_id,
    {{ system("q") }},
    0,
    {{ absent }}
from __ltr_documents as d
join __ltr_lists as q
    on {{ same_fused_key("q", "d") }}
join __ltr_pools as p
    on {{ same_fused_key("p", "d") }}
where not exists (
    select 1
    from __ltr_listed as l
    where {{ same_fused_key("l", "d") }} and l.doc_id = d.doc_id and l.system = q.system
)
{%- endif %}
