{#- The part of the findings (checks/) that every evaluation looks for: how many rows there are of each, by name of the finding.
    One pass over the numbers and ids of the run, one over the judgments, and the queries of both; ranks are compared
    among judged rows alone. What takes more is looked for where the rows are read anyway: ranks and documents that a
    run has twice where the judged rows are counted (surface/judged_once.sql), ranks that measures count with where
    bases group them (shared/sound.sql). -#}
{%- set ids = ["query_id", "doc_id"] if qrels else ["query_id"] -%}
{%- macro lacking(row, names) -%}
{% for name in names %}{{ " + " if not loop.first }}count(*) - count({{ row }}.{{ name }}){% endfor %}
{%- endmacro -%}
{%- macro number(value) -%}
try_cast({{ value }} as double)
{%- endmacro -%}
with __ltr_quick_run as {{ inline }}(
    select
        {{ key_definition("j") }}
        {%- if qrels %},
        j.doc_id
        {%- endif %}
        {%- for name in numbers %},
        j.{{ name }}
        {%- endfor %}
    from {{ run }} as j
)
{%- if qrels %},
__ltr_quick_queries as (
    select
        {{ key("r") }}
    from __ltr_quick_run as r
    group by {{ key("r") }}
),
__ltr_quick_judged as (
    select
        q.query_id,
        max(q.copies) as copies
    from (
        select
            j.query_id,
            count(*) as copies
        from {{ qrels }} as j
        group by j.query_id, j.doc_id{{ ", j.subtopic" if by_subtopic }}
    ) as q
    group by q.query_id
),
__ltr_quick_common as (
    select
        {{ key("r") }}
    from __ltr_quick_queries as r
    join __ltr_quick_judged as q
        on q.query_id = r.query_id
)
{%- endif %}
select
    r.null_ids{{ " + q.null_ids" if qrels }} as null_ids,
    r.no_numbers{{ " + q.no_numbers" if qrels }} as no_numbers
    {%- if scored %},
    r.scores_not_finite
    {%- elif "rank" in numbers %},
    r.ranks_below_one,
    r.ranks_not_whole
    {%- endif %}
    {%- if distinct_ranks %},
    (
        select count(*)
        from (
            select {{ key("d") }}
            from __ltr_quick_run as d
            where d.relevance is not null
            group by {{ key("d") }}
            having count(d.rank) <> count(distinct d.rank)
        ) as d
    ) as ranks_twice
    {%- endif %}
    {%- if qrels %},
    {%- if not scored %}
    r.ranks_missing,
    {%- endif %}
    q.grades_infinite,
    case when r.documents = 0 or q.documents = 0 then 1 else 0 end as no_rows,
    (select count(*) from __ltr_quick_judged as j where j.copies > 1) as judgments_twice,
    case when exists (select 1 from __ltr_quick_common) then 0 else 1 end as no_common_queries,
    case when exists (
        select 1
        from __ltr_quick_run as d
        where d.doc_id in (
            select j.doc_id
            from {{ qrels }} as j
        )
    ) then 0 else 1 end as no_common_documents,
    (
        select count(*)
        from __ltr_quick_queries as n
        where n.query_id not in (
            select j.query_id
            from __ltr_quick_judged as j
            where j.query_id is not null
        )
    ) as queries_not_judged,
    (select count(*) from __ltr_quick_judged as j) * {% if system("n") %}(
        select count(*)
        from (
            select {{ system("n") }}
            from __ltr_quick_queries as n
            group by {{ system("n") }}
        ) as s
    ){% else %}1{% endif %} - (select count(*) from __ltr_quick_common) as queries_not_run
    {%- elif "relevance" in numbers %},
    r.grades_infinite
    {%- endif %}
from (
    select
        count(*) as documents,
        {{ lacking("r", ids) }} as null_ids,
        {% for name in numbers %}{{ " + " if not loop.first }}count(r.{{ name }}) - count({{ number("r." ~ name) }}){% endfor %} as no_numbers
        {%- if scored %},
        count(*) - count(case when isfinite({{ number("r.score") }}) then 1 end) as scores_not_finite
        {%- elif "rank" in numbers %},
        count(*) - count(r.rank) as ranks_missing,
        {%- if integers %}
        case when min(r.rank) < 1 then 1 else 0 end as ranks_below_one,
        0 as ranks_not_whole
        {%- else %}
        count(case when {{ number("r.rank") }} < 1 or isinf({{ number("r.rank") }}) then 1 end) as ranks_below_one,
        count(case when {{ number("r.rank") }} <> floor({{ number("r.rank") }}) then 1 end) as ranks_not_whole
        {%- endif %}
        {%- endif %}
        {%- if "relevance" in numbers %},
        count(case when isinf({{ number("r.relevance") }}) then 1 end) as grades_infinite
        {%- endif %}
    from __ltr_quick_run as r
) as r
{%- if qrels %}
cross join (
    select
        count(*) as documents,
        {{ lacking("q", ids) }} as null_ids,
        count(q.relevance) - count({{ number("q.relevance") }}) as no_numbers,
        count(case when isinf({{ number("q.relevance") }}) then 1 end) as grades_infinite
    from {{ qrels }} as q
) as q
{%- endif %}
