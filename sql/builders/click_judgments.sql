/*
summary = "Make judgments from a log of clicks."
inputs = ["log"]
option = "model"
procedures = "click_model"
default = "coec"
columns = ["query_id", "doc_id", "click"]
reads = "log: query_id, doc_id, click (1 or 0), keys, and what the model reads: rank, session_id"
gives = "the keys, query_id, doc_id, relevance, impressions, clicks"
[options.propensities]
summary = "table of rank and propensity, such as ltr.position_bias returns"
type = "table"
[options.floor]
summary = "smaller propensities count as this number"
type = "number"
minimum = 0
maximum = 1
[options.prior_clicks]
summary = "clicks that are added to those of each document"
type = "number"
minimum = 0
[options.prior_views]
summary = "views that are added to those of each document"
type = "number"
minimum = 0
[options.iterations]
summary = "iterations of expectation maximisation"
type = "integer"
minimum = 1
maximum = 10000
*/
with{{ " recursive" if method.recursive else "" }} {{ click_log(log, method.reads) }},
{{ method.body | rendered }}
select
    {{ key_output("m") }},
    m.doc_id,
    {{ finite("m.relevance",
        "the relevance of a document is too large for a number: correct the propensities, or pass a floor; the doc_id is",
        "m.doc_id") }} as relevance,
    cast(m.views as bigint) as impressions,
    cast(m.clicks as bigint) as clicks
from __ltr_modelled as m
