{%- from "surface/fused.sql" import averages_text, fused with context -%}
create or replace macro ltr.evaluate(rankings, measures, keys := []::varchar[]) as table
from query({{ fused(averages_text) }});
comment on macro table ltr.evaluate is 'Means of measures over queries: one row for each value of the keys, with the number of queries and a column for each measure string.';
