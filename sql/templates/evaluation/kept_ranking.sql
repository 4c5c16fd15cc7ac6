{#- Rank the documents of evaluation/kept_documents.sql by their scores. Judged documents that the run lacks have the score
    -infinity and follow those of the run; their `rows_before` is NULL. DuckDB keeps the order of the sort, so windows
    without partitions and order need no second sort. -#}
select
    r.query_id,
    r.number - r.rows_before as rank,
    r.relevance,
    r.num_ret
    {%- for name in further_columns %},
    r.{{ name }}
    {%- endfor %}
from (
    select
        d.*,
        row_number() over () as number
    from (
        from {{ documents }} as t
        order by t.query_id asc, {{ compared_score(ties, "t") }} desc, t.tie_order asc
    ) as d
) as r
where r.relevance is not null
