-- From a click log to nDCG: simulate clicks on two rankings, estimate the position bias, and judge by clicks.
--   duckdb -f examples/click_log.sql
.read sql/ltr.sql
.mode markdown

create table runs as
select system, query_id, doc_id, given_rank as rank
from read_csv(['examples/data/bm25.txt', 'examples/data/dense.txt'], delim = ' ', header = false,
    columns = {'query_id': 'varchar', 'q0': 'varchar', 'doc_id': 'varchar', 'given_rank': 'integer', 'score': 'double', 'system': 'varchar'});

create table qrels as
from read_csv('examples/data/qrels.txt', delim = ' ', header = false,
    columns = {'query_id': 'varchar', 'iteration': 'varchar', 'doc_id': 'varchar', 'relevance': 'integer'});

-- 400 sessions per query, half of them for each system. A user looks at rank r with probability 1 / r, and then clicks with a
-- probability that grows with the grade. Remainders of products serve as random numbers.
create table log as
select
    r.system || '-' || s.session as session_id,
    r.query_id,
    r.doc_id,
    r.rank,
    cast(
        (s.session * 7919 + r.rank * 104729 + ascii(r.query_id[2]) * 1297) % 1009 < 1009 / r.rank
        and (s.session * 6763 + r.rank * 32452 + ascii(r.query_id[2]) * 499) % 997 < 100 + 280 * coalesce(q.relevance, 0)
        as integer
    ) as click
from runs as r
left join qrels as q
    on q.query_id = r.query_id and q.doc_id = r.doc_id
cross join (select unnest(range(200)) as session) as s;

-- How often users look at each rank; 1 / r was simulated.
select rank, round(propensity, 3) as propensity
from ltr.position_bias('log', method := 'em', iterations := 30)
order by rank
limit 4;

create table clicked as
from ltr.click_judgments('log', model := 'coec');

create table judged as
from ltr.judge('runs', 'clicked', keys := ['system']);

create table judged_by_people as
from ltr.judge('runs', 'qrels', keys := ['system']);

select c.system, round(c."nDCG@5", 4) as by_clicks, round(p."nDCG@5", 4) as by_people
from ltr.evaluate('judged', ['nDCG@5'], keys := ['system']) as c
join ltr.evaluate('judged_by_people', ['nDCG@5'], keys := ['system']) as p
    on p.system = c.system
order by c.system;
