-- Audit the exposure of groups, as in TREC Fair Ranking: compare each group's share of exposure with its target share.
--   duckdb -f examples/exposure_audit.sql
.read sql/ltr.sql
.mode markdown

create table runs as
from read_csv(['examples/data/bm25.txt', 'examples/data/dense.txt'], delim = ' ', header = false,
    columns = {'query_id': 'varchar', 'q0': 'varchar', 'doc_id': 'varchar', 'given_rank': 'integer', 'score': 'double', 'system': 'varchar'});

-- The last digit of an id stands for a region; one document in ten has none.
create table documents as
select
    doc_id,
    case when doc_id like '%0' then null when doc_id like '%1' or doc_id like '%2' or doc_id like '%3' then 'south' else 'north' end as "group"
from (select distinct doc_id from runs);

create table targets as
from (values ('north', 0.6), ('south', 0.4)) as t("group", share);

-- One row per system. ExposureRatio is a value of the run, the others are means over queries.
-- 1 is fair for AWRF and ExposureRatio, 0 for the others.
select system, queries, round(columns(* exclude (system, queries)), 4)
from ltr.beyond_accuracy(
    'runs', ['AWRF@5', 'NDKL@5', 'MinSkew@5', 'MaxSkew@5', 'ExposureRatio@5'],
    documents := 'documents', targets := 'targets', keys := ['system']
)
order by system;

-- The queries with the least fair exposure.
select system, query_id, round("AWRF@5", 4) as awrf
from ltr.beyond_accuracy('runs', ['AWRF@5'], documents := 'documents', targets := 'targets', keys := ['system'], by_query := true)
order by awrf, system, query_id
limit 3;
