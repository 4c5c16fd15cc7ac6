/*
severity = "error"
what = "the input has no rows"
what_to_do = "check the query or file that the rows come from. If the searches returned nothing, pass them as asked="
reads = ["rankings", "run"]
of_queries = true
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    select {{ string("the run" if qrels else "the rankings") }} as row_text
    where not exists (from __ltr_run_rows)
    {%- if qrels %}
    union all
    select 'the judgments' as row_text
    where not exists (from __ltr_grades)
    {%- endif %}
) as f
