-- Every system of the last day compared with bm25.
with last_day as (
    select *
    from {{ ref('judged') }}
    where day = (select max(day) from {{ ref('judged') }})
)
select *
from ltr.compare('last_day', ['nDCG@10', 'AP'], baseline := 'bm25')
