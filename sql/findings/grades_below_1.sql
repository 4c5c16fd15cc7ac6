/*
severity = "warning"
what = "no grade reaches 1, so no document is relevant for {{ threshold_matters }}"
what_to_do = "set rel to the lowest grade of a relevant document, such as AP(rel=0.5), or pass grades on a scale on which it is at least 1"
reads = ["rankings", "run"]
*/
select
    case when max(q.relevance) < 1 then count(case when q.relevance > 0 then 1 end) else 0 end as how_many,
    'the highest grade is ' || max(q.relevance) as first_rows
from __ltr_grades as q
