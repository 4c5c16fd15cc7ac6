/*
name = "judge"
summary = "Joins a run with judgments: one row for each judged document of each query, with its rank in the run."
inputs = ["run", "qrels"]
reads = "run: query_id, doc_id, keys, and rank or score (rank if both exist); qrels: query_id, doc_id, relevance; a duplicate judgment, or a judged document that the run contains twice, is an error"
gives = "the keys, query_id, doc_id, rank (NULL = not retrieved), relevance (NULL = not judged), the other columns of the judgments, and num_ret (number of documents that the run retrieved for the query)"
parameters = ["ties", "missing", "unjudged"]
[choices]
ties = ["docid_desc", "docid_asc", "docid_desc_float32", "row_order", "worst", "best", "expected"]
*/
{%- set systems = system("s") != "" -%}
{#- With ties = 'expected', unjudged documents share positions with the judged documents that they tie with. -#}
{%- set judged_only = unjudged == "drop" and ties != "expected" -%}
{%- set cut = systems or cut_first or not judged_only or reject_duplicates -%}
with
{%- if cut or in_rank_order %} __ltr_judged as {{ inline if not reject_duplicates }}(
    select
        q.query_id,
        q.doc_id
    {%- if reject_duplicates %}
    from (
        select
            {{ judgment_definition("q") }}
        from {{ relations.qrels }} as q
    ) as q
    group by {{ judgment("q") }}
    having case when count(*) = 1 then true else {{ reject_duplicate_judgment() }} end
        {%- if bytewise_check("q.doc_id") %}
        and {{ bytewise_check("q.query_id", "q.doc_id") }}
        {%- endif %}
    {%- else %}
    from {{ relations.qrels }} as q
    {%- endif %}
),
{% endif %}
{{ run_in_order("run", ties, "qrels") if in_rank_order else ranked_run("run", has_rank.run, ties, "qrels") }}
{%- if systems %},
__ltr_systems as (
    select
        {{ system("r") }}
    from __ltr_run as r
    {%- if keys_check("r") %}
    where {{ keys_check("r") }} and {{ bytewise_check("r.doc_id") }}
    {%- endif %}
    group by {{ system("r") }}
)
{%- endif %}
{%- if with_num_ret or missing != "zero" %},
__ltr_run_queries as (
    select
        {% if systems %}{{ system("r") }},
        {% endif %}r.query_id,
        {{ num_retrieved("r", "run", has_rank.run) }} as num_ret
    from __ltr_run as r
    group by {% if systems %}{{ system("r") }}, {% endif %}r.query_id
)
{%- endif %}
{%- if cut %},
{#- Filter the run to its judged documents before the join by system, because they are few. #}
__ltr_{{ "found" if reject_duplicates else "retrieved" }} as (
    select
        {% if systems %}{{ system("r") }},
        {% endif %}r.query_id,
        r.doc_id,
        r.rank
    from __ltr_run_ranked as r
    where exists (
        select 1
        from __ltr_judged as q
        where q.query_id = r.query_id and q.doc_id = r.doc_id
    )
    {%- if not judged_only %}
    union all
    select
        {% if systems %}{{ system("r") }},
        {% endif %}r.query_id,
        r.doc_id,
        r.rank
    from __ltr_run_ranked as r
    where {% if unjudged is symbol %}({{ unjudged }} = 'keep' or {{ ties }} = 'expected')
        and {% endif %}r.query_id in (
            select q.query_id
            from __ltr_judged as q
        )
        and not exists (
            select 1
            from __ltr_judged as q
            where q.query_id = r.query_id and q.doc_id = r.doc_id
        )
    {%- endif %}
)
{%- if reject_duplicates %},
__ltr_retrieved as (
    select
        {% if systems %}{{ system("r") }},
        {% endif %}r.query_id,
        r.doc_id,
        min(r.rank) as rank
    from __ltr_found as r
    group by {% if systems %}{{ system("r") }}, {% endif %}r.query_id, r.doc_id
    having case when count(*) = 1 then true else {{ reject_duplicate_document() }} end
)
{%- endif %}
{%- endif %}
select
    {% if systems %}{{ broadcast("s") }}{{ system_output("s") if judged_only else either_system_output("s", "r") }},
    {% endif -%}
    {% if judged_only -%}
    q.query_id,
    q.doc_id,
    {% else -%}
    coalesce(q.query_id, r.query_id) as query_id,
    coalesce(q.doc_id, r.doc_id) as doc_id,
    {% endif -%}
    r.rank,
    {{ judgment_columns("q") }}
    {%- if with_num_ret %},
    coalesce(n.num_ret, 0) as num_ret
    {%- endif %}
from {{ relations.qrels }} as q
{%- if systems %}
cross join __ltr_systems as s
{%- endif %}
{{ "left" if judged_only else "full" }} join {{ "__ltr_retrieved" if cut else "__ltr_run_ranked" }} as r
    on r.query_id = q.query_id and r.doc_id = q.doc_id{% if systems %} and {{ same_system("r", "s") }}{% endif %}
{%- if with_num_ret or missing != "zero" %}
left join __ltr_run_queries as n
    on n.query_id = {% if judged_only %}q.query_id{% if systems %} and {{ same_system("n", "s") }}{% endif %}
    {%- else %}coalesce(q.query_id, r.query_id){% if systems %} and {{ same_system_as_either("n", "s", "r") }}{% endif %}
    {%- endif %}
{%- endif %}
{%- if missing != "zero" %}
where {% if missing is symbol %}{{ missing }} = 'zero' or {% endif %}n.query_id is not null
{%- endif %}
