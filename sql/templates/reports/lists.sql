{#- List the top documents of each chosen query and system with their grades and their contributions to the measure. -#}
select
    cast(d.query_id as varchar) as query_id,
    cast(d.system as varchar) as system,
    list(d.doc_id order by d.rank asc, d.doc_id asc) as doc_ids,
    list(d.rank order by d.rank asc, d.doc_id asc) as ranks,
    list(d.relevance order by d.rank asc, d.doc_id asc) as grades,
    {%- if contributions %}
    list(c.contribution order by d.rank asc, d.doc_id asc) as contributions
    {%- else %}
    null as contributions
    {%- endif %}
from (
    select
        j.system,
        j.query_id,
        {{ doc_id }} as doc_id,
        cast(j.rank as bigint) as rank,
        cast(j.relevance as double) as relevance
    from {{ documents }} as j
    where j.rank <= {{ depth }}
) as d
{%- if contributions %}
left join (
    select
        e.system,
        e.query_id,
        e.rank,
        max(e.contribution) as contribution
    from (
        {{ contributions | indent(8) }}
    ) as e
    where e.rank <= {{ depth }}
    group by e.system, e.query_id, e.rank
) as c
    on c.system = d.system and c.query_id = d.query_id and c.rank = d.rank
{%- endif %}
group by d.query_id, d.system
order by d.query_id asc, list_position({{ systems }}, cast(d.system as varchar)) asc
