/*
severity = "warning"
what = "unjudged ids of the run differ from judged ids only in blanks, leading zeros, a fraction (12.0), or upper and lower case"
what_to_do = "spell ids the same way in run and judgments"
reads = ["run"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    {%- for name in ["query_id", "doc_id"] %}
    select
        '{{ name }} ''' || r.id || ''' in the run, ''' || min(q.id) || ''' in the judgments' as row_text
    from (
        select distinct
            s.{{ name }} as id,
            {{ spelling("s." ~ name) }} as spelling
        from __ltr_run_rows as s
        where s.{{ name }} not in (
            select t.{{ name }}
            from __ltr_grades as t
            where t.{{ name }} is not null
        )
    ) as r
    join (
        select distinct
            s.{{ name }} as id,
            {{ spelling("s." ~ name) }} as spelling
        from __ltr_grades as s
    ) as q
        on q.spelling = r.spelling
    group by r.id
    {{- "" if loop.last else "\n    union all" }}
    {%- endfor %}
) as f
