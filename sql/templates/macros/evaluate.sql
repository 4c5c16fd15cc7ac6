create or replace macro ltr.evaluate(rankings, measures, keys := []::varchar[], weights := null, convention := null) as table
from query(ltr.__ltr_query({{ table_named("rankings") }}, measures, keys, true, convention, weights));
comment on macro table ltr.evaluate is 'Average measures of rankings (query_id, rank, relevance, keys) over queries. Returns one row for each combination of key values, with the number of queries and a column for each measure string. weights: a table with query_id, weight and any of the keys, for weighted means.';
