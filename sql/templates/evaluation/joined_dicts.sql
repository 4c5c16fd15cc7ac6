{#- Rank the documents of a run whose rows have their judgments, and select the judged documents. Each of `parts` holds all
    documents of some queries; without doc_id, no judged document of them is tied. A part without scores holds judged
    documents that the run lacks. -#}
{% for part in parts %}{{ "union all\n" if not loop.first -}}
{% if "score" in part.columns -%}
select
    r.query_id,
    r.rank,
    r.relevance
from (
    select
        d.query_id,
        row_number() over (
            partition by d.query_id
            order by
                {%- if "doc_id" in part.columns %}
                {{ ranking_order("d", ties, "d") | indent(16) }}
                {%- else %}
                d.score desc nulls last
                {%- endif %}
        ) as rank,
        d.relevance
    from {{ part.sql }} as d
) as r
where r.relevance is not null
{% else -%}
select
    d.query_id,
    cast(null as bigint) as rank,
    d.relevance
from {{ part.sql }} as d
{% endif -%}
{% endfor -%}
