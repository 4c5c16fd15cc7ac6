create or replace macro ltr.per_query(rankings, measures, keys := []::varchar[], convention := null) as table
from query(ltr.measures_query({{ table_named("rankings") }}, false, measures, keys, false, convention));
comment on macro table ltr.per_query is 'Compute measures of rankings (query_id, rank, relevance, keys): one row for each query, with a column for each measure string.';
