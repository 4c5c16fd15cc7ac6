/*
summary = "Estimate from a log of clicks how often users look at each rank, relative to rank 1."
inputs = ["log"]
option = "method"
procedures = "propensity"
default = "ctr"
columns = ["query_id", "doc_id", "rank", "click"]
reads = "log: query_id, doc_id, rank, click (1 or 0), keys"
gives = "the keys, rank, propensity (1 at rank 1), impressions, clicks"
[options.weight]
flag = "weigh-by"
summary = "weight of each document: 'documents' is 1, 'views' is its number of views at the rank with fewer views"
type = "choice"
choices = ["documents", "views"]
[options.iterations]
summary = "iterations of expectation maximisation"
type = "integer"
minimum = 1
maximum = 10000
*/
with{{ " recursive" if method.recursive else "" }} {{ click_log(log, ["rank"]) }},
{{ method.body | rendered }},
__ltr_ranks as (
    select
        {{ group_columns("c") }}c.rank,
        sum(c.views) as views,
        sum(c.clicks) as clicks
    from __ltr_counts as c
    {{ group_by_group("c", "c.rank") }}
)
select
    {% if system("r") %}{{ system_output("r") }},
    {% endif -%}
    cast(r.rank as bigint) as rank,
    {{ finite("p.propensity", "the propensity of a rank is too large for a number: choose another method; the rank is", "r.rank") }} as propensity,
    cast(r.views as bigint) as impressions,
    cast(r.clicks as bigint) as clicks
from __ltr_ranks as r
left join __ltr_propensities as p
    on p.rank = r.rank and {{ same_group("p", "r") }}
