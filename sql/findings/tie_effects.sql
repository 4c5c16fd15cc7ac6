/*
severity = "info"
what = "measures depend on tie-breaking: values from the worst to the best order of ties"
what_to_do = "report the tie-breaking rule; differences between systems within this range may be due to ties"
reads = ["rankings", "run"]
*/
select
    count(*) as how_many,
    string_agg(f.row_text, '; ' order by f.row_text asc) as first_rows
from (
    {%- for measure in measures %}
    select
        concat_ws(', ', {{ fields_text('w."keys"') }},
            {{ string(measure.text) }} || ' ' || round(least(w.{{ measure.name }}, b.{{ measure.name }}), 4) || ' to '
            || round(greatest(w.{{ measure.name }}, b.{{ measure.name }}), 4)) as row_text
    from __ltr_worst as w
    join __ltr_best as b
        on w."keys" is not distinct from b."keys"
    where abs(w.{{ measure.name }} - b.{{ measure.name }}) > 1e-12
    {{- "" if loop.last else "\n    union all" }}
    {%- endfor %}
) as f
