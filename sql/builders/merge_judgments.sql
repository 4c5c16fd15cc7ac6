/*
summary = "Merge the judgments of several raters into one judgment for each document."
inputs = ["judgments"]
option = "method"
procedures = "merging"
default = "majority"
columns = ["query_id", "doc_id", "rater", "relevance"]
reads = "judgments: query_id, doc_id, rater, relevance (NULL = no rating), keys"
gives = "the keys, query_id, doc_id, relevance, raters, agreement (share of the raters that gave this grade), probability (of the grade, if the raters err independently of each other; NULL unless the method estimates it), finding (what to know before using the probability; NULL if there is none)"
[options.ties]
flag = "tied-votes"
summary = "grade of a document if several grades have the most votes: 'lower', 'higher', or 'skip' to leave the document out"
type = "choice"
choices = ["lower", "higher", "skip"]
[options.iterations]
summary = "iterations of expectation maximisation"
type = "integer"
minimum = 1
maximum = 10000
[options.truth]
summary = "the rater that is right by definition, such as 'human': the error rates of the others are estimated from the documents that they have in common with it"
type = "text"
*/
with{{ " recursive" if method.recursive else "" }} {{ rating_rows(judgments) }},
{{ method.body | rendered }}
select
    {{ key_output("t") }},
    t.doc_id,
    t.relevance,
    cast(t.raters as bigint) as raters,
    t.agreement,
    t.probability,
    t.finding
from (
    select
        {{ run_key("m") }},
        m.doc_id,
        m.relevance,
        count(*) as raters,
        avg(case when r.relevance = m.relevance then 1e0 else 0e0 end) as agreement,
        max(m.probability) as probability,
        max(m.finding) as finding
    from __ltr_merged as m
    join __ltr_ratings as r
        on {{ same_key("r", "m") }} and r.doc_id = m.doc_id
    group by {{ run_key("m") }}, m.doc_id, m.relevance
) as t
