/*
summary = "List the documents that a single run brought to the pool. Evaluate the run without judgments of these documents to see how much the pool favours it."
inputs = ["runs"]
columns = ["query_id", "doc_id"]
reads = "runs: query_id, doc_id, system, keys, and rank or score (rank if both exist; equal scores are ordered by descending doc_id); qrels: query_id, doc_id, relevance"
gives = "the keys, query_id, system, doc_id, rank, relevance (NULL = not judged)"
reference = "Zobel 1998, SIGIR"
[options.depth]
summary = "number of documents from the top of each ranking"
type = "integer"
minimum = 1
default = 100
[options.qrels]
summary = "judgments, which say which documents are judged"
type = "table"
[options.compared]
summary = "column that names the systems"
type = "column"
default = "system"
*/
with {{ contributed_documents(runs, compared, has_rank, depth) }},
__ltr_unique as (
    select
        {{ run_key("r") }},
        r.doc_id,
        min(r.system) as system,
        min(r.rank) as rank
    from __ltr_contributed as r
    group by {{ run_key("r") }}, r.doc_id
    having count(*) = 1
)
select
    {{ key_output("u") }},
    u.system,
    u.doc_id,
    cast(u.rank as bigint) as rank,
    q.relevance
from __ltr_unique as u
left join (
    select
        q.query_id,
        q.doc_id,
        max(cast(q.relevance as double)) as relevance
    from {{ qrels }} as q
    group by q.query_id, q.doc_id
) as q
    on q.query_id = u.query_id and q.doc_id = u.doc_id
