{#- Select the queries to evaluate, with their segments and their numbers of judged and relevant documents. By default, each
    system has all judged queries. With missing = 'skip', it has the judged queries that its run contains. `counted` is a relation with
    these numbers, or empty. -#}
{%- set systems = system("s") != "" -%}
{%- macro of_run(columns) -%}
(
    select
        {{ columns("r") }}
    from (
        select
            {{ key_definition("j") }}
        from {{ relations.run }} as j
    ) as r
    group by {{ columns("r") }}
)
{%- endmacro -%}
select
    {% if missing == "skip" -%}
    {% if systems %}{{ system("r") }}, {% endif -%}
    {%- elif systems -%}
    {{ broadcast("s") }}{{ system("s") }}, {% endif -%}
    {% for name in segments %}q.{{ name }}, {% endfor %}q.query_id,
    q.num_judged,
    q.num_relevant
from {% if counted %}{{ counted }}{% else %}(
    select
        {% for name, column in segments.items() %}j.{{ column }} as {{ name }},
        {% endfor %}j.query_id,
        count(*) as num_judged,
        count(case when {{ without_nan("cast(j.relevance as double)") }} > 0 then 1 end) as num_relevant
    from {{ relations.qrels }} as j
    group by {% for column in segments.values() %}j.{{ column }}, {% endfor %}j.query_id
){% endif %} as q
{%- if missing == "skip" %}
join {{ of_run(key) }} as r
    on r.query_id = q.query_id
{%- elif systems %}
cross join {{ of_run(system) }} as s
{%- endif %}
