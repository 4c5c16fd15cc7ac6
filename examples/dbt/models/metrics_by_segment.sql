-- Means of each segment of queries on the last day. The judgments name the segment of a query.
with last_day as (
    select *
    from {{ ref('judged') }}
    where day = (select max(day) from {{ ref('judged') }})
)
select *
from ltr.evaluate('last_day', ['nDCG@10', 'AP'], keys := ['segment', 'system'])
