{#- Read judgments by the options `grades` and `qrels_duplicates` of a macro, whose call also decides which columns there are. -#}
{%- set grade = "cast(" ~ grades ~ " as map(varchar, double))[cast(j.__ltr_text as varchar)]" -%}
{%- set number = "try_cast(cast(j.__ltr_text as varchar) as double)" -%}
with __ltr_texts as (
    select
        j.*,
        coalesce(*columns(lambda c: lower(c) in ('relevance', '__ltr_none'))) as __ltr_text,
        cast(coalesce(*columns(lambda c: lower(c) in ('subtopic', '__ltr_none'))) as varchar) as __ltr_subtopic
    from {{ checked_relation(relation) }} as j
),
__ltr_unknown_texts as (
    select
        cast(j.__ltr_text as varchar) as text,
        count(*) as documents
    from __ltr_texts as j
    where j.__ltr_text is not null and {{ grade }} is null and {{ number }} is null
    group by cast(j.__ltr_text as varchar)
),
__ltr_graded as (
    select
        j.*,
        case
            when {{ grades }} is not null and typeof(j.__ltr_text) <> 'VARCHAR' and not starts_with(typeof(j.__ltr_text), 'ENUM')
            then cast({{ error_of("grades maps texts to numbers: leave it out, because relevance holds", "typeof(j.__ltr_text)") }} as double)
            when j.__ltr_text is null then null
            else coalesce({{ grade }}, {{ number }}, cast({{ error_of(text_without_grade(), "(select string_agg(t.text || "
                "' (' || t.documents || ')', ', ' order by t.documents desc, t.text asc) from __ltr_unknown_texts as t)") }} as double))
        end as __ltr_grade
    from __ltr_texts as j
)
select
    columns(lambda c: lower(c) <> 'relevance' and not starts_with(c, '__ltr_')),
    j.__ltr_grade as relevance
from (
    select
        j.*,
        row_number() over (partition by j.query_id, j.doc_id, j.__ltr_subtopic order by {{ without_nan("j.__ltr_grade") }} desc nulls last) as __ltr_number
    from __ltr_graded as j
) as j
where {{ qrels_duplicates }} = 'error' or j.__ltr_number = 1
