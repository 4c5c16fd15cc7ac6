/*
summary = "Clicks over expected clicks: the clicks of the document, divided by those of an average document at the same ranks."
formula = "clicks / sum over ranks of (views of the document at the rank * click-through rate of the rank); NULL if no click is expected"
reads = ["rank"]
reference = "Zhang & Jones 2007, WWW; Chapelle & Zhang 2009, WWW"
*/
{{ click_shares() }},
__ltr_modelled as (
    select
        {{ run_key("c") }},
        c.doc_id,
        sum(c.clicks) / nullif(sum(c.views * s.share), 0) as relevance,
        sum(c.views) as views,
        sum(c.clicks) as clicks
    from __ltr_counts as c
    join __ltr_shares as s
        on s.rank = c.rank and {{ same_group("s", "c") }}
    group by {{ run_key("c") }}, c.doc_id
)
