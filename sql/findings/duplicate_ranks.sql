/*
severity = "error"
what = "documents of one query share a rank"
what_to_do = "rank by row_number(), not rank(); if rankings of several systems are mixed, pass the column that names the system as keys. Only {{ accept_shared_ranks }} and measures of agreement accept shared ranks, as ties"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    select
        {{ row_text("r", "query_id", "rank") }} || ' (' || count(*) || ' documents'
            || coalesce(': ' || list_aggregate(min(r.doc_id, 3), 'string_agg', ', '), '') || ')' as row_text
    from (
        select
            s.keys,
            s.query_id,
            s.rank,
            s.doc_id
        from __ltr_run_rows as s
        where s.rank is not null
        {#- Rows of one document with different subtopics share its rank. #}
        qualify s.subtopic is null or s.doc_id is null
            or row_number() over (partition by s.keys, s.query_id, s.doc_id, s.rank order by s.subtopic asc) = 1
    ) as r
    group by r.keys, r.query_id, r.rank
    having count(*) > 1
) as f
