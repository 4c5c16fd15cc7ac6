-- A weekly table of a shop in SQL alone, and a check that fails if a week is significantly worse than the week before.
--   duckdb -f examples/analyst.sql
.read sql/ltr.sql
.mode markdown

create table results as
select week, query as query_id, sku as doc_id, position + 1 as rank
from 'examples/data/shop/results.csv';

create table labels as
select query as query_id, sku as doc_id, label as relevance
from 'examples/data/shop/labels.csv';

create table searches as
select week, query as query_id
from 'examples/data/shop/searches.csv';

create table judged as
from ltr.judge('results', 'labels', keys := ['week'], asked := 'searches',
    grades := map {'Exact': 3, 'Substitute': 2, 'Complement': 1, 'Irrelevant': 0});

select week, queries, round(columns(['nDCG@3', 'Success@3']), 4)
from ltr.evaluate('judged', ['nDCG@3', 'Success@3'], keys := ['week'])
order by week;

-- The client stops with an error, and exits with code 1, if the condition is true.
select case when count(*) > 0 then error(string_agg(measure || ' is worse', ', ')) else 'no measure is worse' end as gate
from ltr.compare('judged', ['nDCG@3', 'Success@3'], keys := ['week'], compared := 'week', baseline := '2026-W40')
where verdict = 'worse';
