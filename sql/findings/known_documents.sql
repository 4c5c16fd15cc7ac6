/*
severity = "warning"
what = "documents of the run are in the history of their query: the user knows them already"
what_to_do = "leave these documents out of the run if known documents must not be recommended, and check that the test data are not part of the history"
reads = ["history"]
*/
select
    count(*) as how_many,
    list_aggregate(min({{ labels }}, 3), 'string_agg', '; ') as first_rows
from {{ run }} as r
semi join {{ history }} as h
    on h.query_id = r.query_id
    and h.doc_id = r.doc_id
