{#- Return how deep each run is, and what share of its top 10 is not judged. -#}
select
    cast(v.{{ system }} as varchar) as system,
    max(v.{{ retrieved }}) as depth,
    100 * avg(case when v.{{ retrieved }} > 0 then 1 - v.{{ judged }} end) as unjudged
from {{ relation }} as v
group by v.{{ system }}
order by system asc
