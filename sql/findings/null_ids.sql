/*
severity = "error"
what = "an id is NULL"
what_to_do = "fill in the id where the table is made. Removing the row would change ranks, or the number of relevant documents. If a row without doc_id says that a query has no results, pass the queries as asked=, and then leave this row out"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    select
        {{ row_text("r", "query_id", "doc_id", "rank_text", "score_text") }} as row_text
    from __ltr_run_rows as r
    where {{ lacks_id("r") }}
    {%- if qrels %}
    union all
    select
        'judgment ' || {{ row_text("q", "query_id", "doc_id", "relevance_text") }} as row_text
    from __ltr_grades as q
    where {{ lacks_id("q") }}
    {%- endif %}
) as f
