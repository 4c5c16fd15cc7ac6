{#- Keep the highest grade of each document and query, or with `by_subtopic` of each subtopic. `others` are the names of
    the other columns. -#}
select
    {% for name in others %}j.{{ name }},
    {% endfor -%}
    j.relevance
from (
    select
        {% for name in others %}j.{{ name }},
        {% endfor -%}
        j.relevance,
        row_number() over (partition by j.query_id, j.doc_id{{ ", j.subtopic" if by_subtopic }}
            order by {{ without_nan("try_cast(j.relevance as double)") }} desc nulls last) as __ltr_number
    from {{ relation }} as j
) as j
where j.__ltr_number = 1
