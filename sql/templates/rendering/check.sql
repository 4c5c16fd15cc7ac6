{#- List the findings of sql/findings/ about rankings, or about a run and judgments: one row per finding. -#}
with __ltr_run_rows as (
    select r.*
    from {{ run_rows | indent(4) }} as r
    {%- if not qrels %}
    {#- Rankings also have rows for documents that were not retrieved. #}
    where r.rank_text is not null or not r.has_rank
    {%- endif %}
),
__ltr_grades as (
    select q.*
    from {{ grade_rows | indent(4) }} as q
)
{%- if measures %},
__ltr_best as (
    {{ best | indent(4) }}
),
__ltr_worst as (
    {{ worst | indent(4) }}
)
{%- endif %}
select
    f.severity,
    f.what,
    f.how_many,
    f.first_rows,
    f.what_to_do
from (
    {%- for finding in findings %}
    select
        {{ loop.index }} as __ltr_number,
        {{ string(finding.severity) }} as severity,
        {{ string(finding.what) }} as what,
        n.how_many,
        n.first_rows,
        {{ string(finding.what_to_do) }} as what_to_do
    from (
        {{ finding.query | indent(8) }}
    ) as n
    {{- "" if loop.last else "\n    union all" }}
    {%- else %}
    select 0 as __ltr_number, '' as severity, '' as what, 0 as how_many, '' as first_rows, '' as what_to_do
    {%- endfor %}
) as f
where f.how_many > 0
order by f.__ltr_number asc
