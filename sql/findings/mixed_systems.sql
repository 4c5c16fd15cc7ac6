/*
severity = "error"
what = "several systems or chunks of a document are mixed: rows of a query with the same rank or document differ in other columns"
what_to_do = "pass the column that names the system as keys. No column names a system if its values number chunks, passages or dates: turn the run into one of documents by group_documents instead"
reads = ["rankings", "run"]
*/
select
    case when min(f.rows_apart) then count(*) else 0 end as how_many,
    list_aggregate(min(f.row_text, 3), 'string_agg', '; ') as first_rows
from (
    select
        {{ row_text("r", "query_id", "shared") }} || ' in the rows '
            || list_aggregate(min({{ fields_text("r.others") }}, 3), 'string_agg', ' and ') as row_text,
        count(distinct r.others) = count(*) as rows_apart
    from (
        select
            s.keys,
            s.query_id,
            coalesce('document ' || s.doc_id, 'rank ' || s.rank_text) as shared,
            s.others
        from {{ every_row }} as s
        where s.subtopic is null and s.others is not null
    ) as r
    where r.shared is not null
    group by r.keys, r.query_id, r.shared
    having count(*) > 1
) as f
