{#- Select the lists that replicates of the bootstrap draw, as runs of their own. All systems of a stratum share their draws. A
    list that is drawn several times becomes several queries. -#}
with __ltr_drawable as (
    select q.n
    from {{ queries }} as q
),
{% include "rendering/draws/draws.sql" %},
__ltr_drawn as materialized (
    select
        {% for key in stratum %}{{ key }}, {% endfor %}q.query_id,
        q.number,
        d.replicate,
        unnest(range(d.times)) as copy
    from __ltr_draws as d
    join {{ queries }} as q
        on q.n = d.n and q.position = d.position
)
select
    q.replicate as {{ replicate }},
    {% for key in keys %}{{ key }}, {% endfor %}q.number * {{ copies }} + q.copy as query_id,
    r.doc_id,
    r.rank
from __ltr_drawn as q
join {{ lists }} as r
    on r.query_id = q.query_id{{ same_stratum }}
