/*
severity = "error"
what = "a document is in one ranking more than once"
what_to_do = "if its rows are chunks, turn the run into one of documents by group_documents. If they come from several systems, pass the column that names the system as keys: each system is evaluated on all judged queries"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    select
        {{ row_text("r", "query_id", "doc_id") }} || ' (' || count(*) || ' rows)' as row_text
    from {{ every_row }} as r
    where r.query_id is not null and r.doc_id is not null
    group by r.keys, r.query_id, r.doc_id, r.subtopic
    having count(*) > 1
) as f
