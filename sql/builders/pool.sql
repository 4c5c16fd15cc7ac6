/*
summary = "List the documents to judge: the top of several runs, in the order of their priority."
inputs = ["runs"]
option = "strategy"
procedures = "pooling"
default = "depth"
columns = ["query_id", "doc_id"]
reads = "runs: query_id, doc_id, system, keys, and rank or score (rank if both exist; equal scores are ordered by descending doc_id); qrels: query_id, doc_id, relevance (NULL = not judged)"
gives = "the keys, query_id, doc_id, priority (1 = first), best_rank, runs (how many contributed it), systems (their names), judged"
reference = "Spärck Jones & van Rijsbergen 1975, British Library report 5266; Moffat, Webber & Zobel 2007, SIGIR (rbp)"
[options.depth]
summary = "number of documents from the top of each ranking"
type = "integer"
minimum = 1
default = 100
[options.budget]
summary = "largest number of documents of a query"
type = "integer"
minimum = 1
[options.p]
summary = "persistence of the reader for rbp and rbc, 0.8 by default"
type = "number"
above = 0
maximum = 0.999999
[options.qrels]
summary = "judgments, which say which documents are judged"
type = "table"
[options.compared]
summary = "column that names the systems"
type = "column"
default = "system"
*/
with {{ contributed_documents(runs, compared, has_rank, depth) }},
__ltr_pooled as (
    select
        {{ run_key("r") }},
        r.doc_id,
        min(r.rank) as best_rank,
        count(*) as runs,
        array_agg(r.system) as systems,
        {{ method.body | rendered }} as weight
    from __ltr_contributed as r
    group by {{ run_key("r") }}, r.doc_id
)
select
    {{ key_output("p") }},
    p.doc_id,
    p.priority,
    cast(p.best_rank as bigint) as best_rank,
    p.runs,
    {{ sorted_elements("p.systems") }} as systems,
    exists (
        select 1
        from {{ qrels }} as q
        where q.query_id = p.query_id and q.doc_id = p.doc_id and {{ without_nan("cast(q.relevance as double)") }} is not null
    ) as judged
from (
    select
        {{ run_key("p") }},
        p.doc_id,
        p.best_rank,
        p.runs,
        p.systems,
        {#- Round, because the last bits of sums depend on the order of summation. #}
        row_number() over (partition by {{ key("p") }} order by round(p.weight, 12) desc nulls last,
            p.best_rank asc nulls last, p.runs desc nulls last, {{ id_order("p.doc_id", "asc") }}) as priority
    from __ltr_pooled as p
) as p
where p.priority <= coalesce({{ budget }}, 9e15)
