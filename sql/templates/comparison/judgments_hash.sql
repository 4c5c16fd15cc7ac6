{#- Return a hash of the judgments that does not depend on the order of rows or on the type of grades. -#}
select sha256(coalesce(string_agg(j.line, chr(10) order by j.line asc), '')) as hash
from (
    select distinct concat_ws(chr(9), cast(q.query_id as varchar), cast(q.doc_id as varchar),
        coalesce(cast(cast(q.relevance as double) as varchar), ''){% if subtopics %},
        coalesce(cast(q.subtopic as varchar), ''){% endif %}) as line
    from {{ qrels }} as q
) as j
