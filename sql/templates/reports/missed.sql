{#- List the relevant documents of each chosen query that at least one system lacks in its top `depth`: the best grades first, with their ranks
    in the lists of `systems`, and the number that each system lacks. -#}
select
    m.query_id,
    list(m.doc_id order by m.place asc) filter (where m.place <= {{ most }}) as doc_ids,
    list(m.relevance order by m.place asc) filter (where m.place <= {{ most }}) as grades,
    list(m.ranks order by m.place asc) filter (where m.place <= {{ most }}) as ranks,
    list_transform(range(len({{ systems }})), lambda s: len(list_filter(list(m.ranks), lambda r: r[s + 1] is null or r[s + 1] > {{ depth }}))) as counts
from (
    select
        g.*,
        row_number() over (partition by g.query_id order by g.relevance desc, g.nearest asc nulls last, g.doc_id asc) as place
    from (
        select
            cast(d.query_id as varchar) as query_id,
            {{ doc_id }} as doc_id,
            max(d.relevance) as relevance,
            min(d.rank) as nearest,
            list_transform({{ systems }},
                lambda s: list_min(list_transform(list_filter(list({'system': d.system, 'rank': d.rank}), lambda x: x['system'] = s),
                lambda x: x['rank']))) as ranks
        from {{ documents }} as d
        where d.relevance > 0 and d.doc_id is not null
        group by d.query_id, {{ doc_id }}
    ) as g
    where len(list_filter(g.ranks, lambda r: r is null or r > {{ depth }})) > 0
) as m
group by m.query_id
