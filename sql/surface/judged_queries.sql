{#- The queries that count: the judged ones, for each system, or with missing = 'skip' those of them that the run has. -#}
{%- set systems = system("s") != "" -%}
{% if missing == "skip" -%}
select
    {{ key("r") }}
from (
    select
        {{ key_definition("j") }}
    from {{ relations.run }} as j
) as r
where r.query_id in (
    select q.query_id
    from {{ relations.qrels }} as q
)
group by {{ key("r") }}
{%- else -%}
select
    {% if systems %}{{ broadcast("s") }}{{ system("s") }}, {% endif %}q.query_id
from {{ relations.qrels }} as q
{%- if systems %}
cross join (
    select
        {{ system("r") }}
    from (
        select
            {{ key_definition("j") }}
        from {{ relations.run }} as j
    ) as r
    group by {{ system("r") }}
) as s
{%- endif %}
group by {% if systems %}{{ system("s") }}, {% endif %}q.query_id
{%- endif %}
