{%- from "macros/query_text.sql" import explained_text, with_texts, written with context -%}
create or replace macro ltr.explain(rankings, query, measure, keys := []::varchar[]) as table
from query({{ written(explained_text, with_texts("ltr.__ltr_measures([measure], 'rankings', keys, null)") ~ "[1]") }});
comment on macro table ltr.explain is 'Explain the value of a measure for a query: one row for each rank, with the contribution of its document, next to the ideal ranking.';
