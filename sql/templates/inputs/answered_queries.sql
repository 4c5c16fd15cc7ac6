{#- Select the queries that count if a run has answers without documents: with missing = 'skip' its answers to judged queries, otherwise
    all judged queries of each system. `answers` is a relation of its systems, with missing = 'skip' also of its queries, or empty. -#}
select distinct
    {% for name in systems %}a.{{ name }}, {% endfor %}q.query_id
from {{ qrels }} as q
{%- if answers %}
join {{ answers }} as a
    on {{ "a.query_id = q.query_id" if missing == "skip" else "true" }}
{%- endif %}
