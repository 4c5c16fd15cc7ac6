{%- from "surface/fused.sql" import fused, query_text with context -%}
create or replace macro ltr.per_query(rankings, measures, keys := []::varchar[]) as table
from query({{ fused(query_text) }});
comment on macro table ltr.per_query is 'Measures of each query: one row for each query of a relation of rankings (query_id, rank, relevance, keys), a column for each measure string.';
