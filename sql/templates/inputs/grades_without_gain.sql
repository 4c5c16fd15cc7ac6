{#- Return the grades from 0 that have no gain and need one: with `complete` all of them, otherwise those with a fraction.
    Other checks refuse grades that are not finite numbers. -#}
select distinct g.grade
from (
    select try_cast(q.relevance as double) as grade
    from {{ graded }} as q
) as g
where isfinite(g.grade)
    and g.grade {{ ">= 0" if complete else "> 0 and g.grade <> floor(g.grade)" }}
    and g.grade not in ({% for grade in grades %}{{ grade }}{{ ", " if not loop.last }}{% endfor %})
order by g.grade asc
