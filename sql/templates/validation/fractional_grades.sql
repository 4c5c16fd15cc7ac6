{#- Count the grades with a fraction, and show the first of them. -#}
select
    coalesce(sum(g.number), 0) as number,
    string_agg(g.grade || ' counts as ' || g.whole, ', ' order by g.grade asc) filter (where g.place <= {{ shown }}) as examples
from (
    select
        f.grade,
        cast(trunc(f.grade) as bigint) as whole,
        count(*) as number,
        row_number() over (order by f.grade asc) as place
    from (
        select try_cast(q.relevance as double) as grade
        from {{ judged }} as q
    ) as f
    where f.grade <> trunc(f.grade)
    group by f.grade
) as g
