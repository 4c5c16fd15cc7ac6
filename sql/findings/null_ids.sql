/*
severity = "error"
what = "an id is NULL"
what_to_do = "give every row a query_id and a doc_id, or remove the row"
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
