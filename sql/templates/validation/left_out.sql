{#- Count the rows of judged queries of a run, those that list a document again, and those of unjudged documents. -#}
select
    count(*) as listed,
    count(case when r.place > 1 then 1 end) as repeated,
    count(case when r.place = 1 and q.doc_id is null then 1 end) as unjudged
from (
    select
        {{ key("j") }},
        j.doc_id,
        row_number() over (partition by {{ key("j") }}, j.doc_id) as place
    from (
        select
            {{ key_definition("j") }},
            j.doc_id
        from {{ run }} as j
    ) as j
    where j.query_id in (select q.query_id from {{ qrels }} as q)
) as r
left join (
    select distinct
        q.query_id,
        q.doc_id
    from {{ qrels }} as q
    where try_cast(q.relevance as double) >= 0
) as q
    on q.query_id = r.query_id and q.doc_id = r.doc_id
