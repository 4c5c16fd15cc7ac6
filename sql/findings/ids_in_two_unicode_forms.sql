/*
severity = "warning"
what = "unjudged ids of the run equal judged ids in another Unicode normal form: they look alike, but their bytes differ"
what_to_do = "normalise ids in run and judgments, with nfc_normalize() or unicodedata.normalize('NFC', id)"
reads = ["run"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    {%- for name in ["query_id", "doc_id"] %}
    select
        '{{ name }} ''' || r.id || '''' as row_text
    from (
        select distinct
            s.{{ name }} as id,
            nfc_normalize(s.{{ name }}) as form
        from __ltr_run_rows as s
        where {{ beyond_ascii("s." ~ name) }}
            and s.{{ name }} not in (
                select t.{{ name }}
                from __ltr_grades as t
                where t.{{ name }} is not null
            )
    ) as r
    join (
        select distinct nfc_normalize(s.{{ name }}) as form
        from __ltr_grades as s
        where {{ beyond_ascii("s." ~ name) }}
    ) as q
        on q.form = r.form
    {{- "" if loop.last else "\n    union all" }}
    {%- endfor %}
) as f
