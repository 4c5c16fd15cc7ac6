create or replace macro ltr.conventions() as table
select
    c.convention,
    c.measure,
    c.switch,
    c.value,
    c.summary
from (
    values
    {%- for row in rows %}
    ({{ row | join(", ") }}){{ "" if loop.last else "," }}
    {%- endfor %}
) as c(convention, measure, switch, value, summary);
comment on macro table ltr.conventions is 'The conventions of the field''s tools: a row for each switch that they set, of one measure or, where none is named, of all.';
