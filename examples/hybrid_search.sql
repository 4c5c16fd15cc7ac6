-- Hybrid search: fuse a run of keywords and a run of vectors, evaluate all three, and compare them.
--   duckdb -f examples/hybrid_search.sql
.read sql/ltr.sql
.mode markdown

create table qrels as
from read_csv('examples/data/qrels.txt', delim = ' ', header = false,
    columns = {'query_id': 'varchar', 'iteration': 'varchar', 'doc_id': 'varchar', 'relevance': 'integer'});

create table runs as
select system, query_id, doc_id, score
from read_csv(['examples/data/bm25.txt', 'examples/data/dense.txt'], delim = ' ', header = false,
    columns = {'query_id': 'varchar', 'q0': 'varchar', 'doc_id': 'varchar', 'given_rank': 'integer', 'score': 'double', 'system': 'varchar'});

-- Reciprocal rank fusion: one run from both.
create table fused as
from ltr.fuse('runs');

from fused
where query_id = 'q1'
order by rank
limit 3;

create table systems as
from runs
union all by name
select 'hybrid' as system, query_id, doc_id, score
from fused;

create table judged as
from ltr.judge('systems', 'qrels', keys := ['system']);

select
    system,
    round(columns(* exclude (system, queries)), 4)
from ltr.evaluate('judged', ['nDCG@5', 'AP', 'RR'], keys := ['system'])
order by system;

select
    measure,
    system_b,
    round(mean_b, 4) as mean,
    round(difference, 4) as difference,
    round(p_adjusted, 4) as p,
    verdict
from ltr.compare('judged', ['nDCG@5', 'AP'], baseline := 'bm25')
order by all;
