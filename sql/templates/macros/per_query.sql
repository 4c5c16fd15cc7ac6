create or replace macro ltr.per_query(rankings, measures, keys := []::varchar[], convention := null) as table
from query(ltr.__ltr_query({{ table_named("rankings") }}, measures, keys, false, convention, null, false));
comment on macro table ltr.per_query is 'Compute measures of rankings (query_id, rank, relevance, keys): one row for each query, with a column for each measure string.';
