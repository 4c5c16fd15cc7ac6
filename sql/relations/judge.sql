/*
name = "judge"
summary = "Joins a run with judgments: one row for each judged document of each query, with the rank that the run gives it."
inputs = ["run", "qrels"]
reads = "run: query_id, doc_id, rank or score (rank is used where there is such a column), keys; qrels: query_id, doc_id, relevance"
gives = "the keys, query_id, doc_id, rank (NULL = not retrieved), relevance, and the other columns of the judgments"
parameters = ["ties", "missing"]
[choices]
ties = ["docid_desc", "docid_asc", "docid_desc_float32", "row_order", "worst", "best"]
*/
{%- set systems = system("s") != "" -%}
{%- set retrieved = "__ltr_retrieved" if systems or cut_first else "__ltr_run_ranked" -%}
with {{ ranked_run("run", has_rank.run, ties, "qrels") }}
{%- if systems %},
__ltr_systems as (
    select
        {{ system("r") }}
    from __ltr_run as r
    {%- if keys_check("r") %}
    where {{ keys_check("r") }}
    {%- endif %}
    group by {{ system("r") }}
)
{%- endif %}
{%- if systems or cut_first %},
{#- The judged documents of a run are few beside the run: they are found before systems are told apart. #}
__ltr_retrieved as (
    select
        {% if systems %}{{ system("r") }},
        {% endif %}r.query_id,
        r.doc_id,
        r.rank
    from __ltr_run_ranked as r
    where exists (
        select 1
        from {{ relations.qrels }} as q
        where q.query_id = r.query_id and q.doc_id = r.doc_id
    )
)
{%- endif %}
{%- if missing != "zero" %},
__ltr_run_queries as (
    select
        {% if systems %}{{ system("r") }}, {% endif %}r.query_id
    from __ltr_run as r
    {%- if missing is symbol %}
    where {{ missing }} = 'skip'
    {%- endif %}
    group by {% if systems %}{{ system("r") }}, {% endif %}r.query_id
)
{%- endif %}
select
    {% if systems %}{{ broadcast("s") }}{{ system_output("s") }},
    {% endif %}q.query_id,
    q.doc_id,
    r.rank,
    q.relevance{{ other_columns("q") }}
from {{ relations.qrels }} as q
{%- if systems %}
cross join __ltr_systems as s
{%- endif %}
left join {{ retrieved }} as r
    on r.query_id = q.query_id and r.doc_id = q.doc_id{% if systems %} and {{ same_system("r", "s") }}{% endif %}
{%- if missing != "zero" %}
where {% if missing is symbol %}{{ missing }} = 'zero' or {% endif %}exists (
    select 1
    from __ltr_run_queries as t
    where t.query_id = q.query_id{% if systems %} and {{ same_system("t", "s") }}{% endif %}
)
{%- endif %}
