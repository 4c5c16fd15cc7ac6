-- Use SQL alone, in the DuckDB command line client without Python.
--   duckdb -f examples/sql_only.sql
.read sql/ltr.sql
.mode markdown

create table qrels as
from read_csv('examples/data/qrels.txt', delim = ' ', header = false,
    columns = {'query_id': 'varchar', 'iteration': 'varchar', 'doc_id': 'varchar', 'relevance': 'integer'});

create table runs as
from read_csv(['examples/data/bm25.txt', 'examples/data/dense.txt'], delim = ' ', header = false,
    columns = {'query_id': 'varchar', 'q0': 'varchar', 'doc_id': 'varchar', 'given_rank': 'integer', 'score': 'double', 'system': 'varchar'});

-- Rankings: one row per judged document, query and system, with the rank of the document.
create table judged as
from ltr.judge('runs', 'qrels', keys := ['system']);

-- Means over queries, in one query.
select
    system,
    queries,
    round(columns(* exclude (system, queries)), 4)
from ltr.evaluate('judged', ['nDCG@5', 'AP', 'RR', 'P@5'], keys := ['system'])
order by system;

-- One measure: one row per query.
select
    system,
    query_id,
    round(ndcg, 4) as ndcg
from ltr.ndcg('judged', k := 5, gain := 'exponential', keys := ['system'])
where query_id in ('q1', 'q2')
order by all;
