/*
severity = "error"
what = "there are no rows"
what_to_do = "look at the query or file that the rows come from"
reads = ["rankings", "run"]
*/
select
    {{ listed("f.shown") }}
from (
    select {{ string("the run" if qrels else "the rankings") }} as shown
    where not exists (from __ltr_run_rows)
    {%- if qrels %}
    union all
    select 'the judgments' as shown
    where not exists (from __ltr_grades)
    {%- endif %}
) as f
