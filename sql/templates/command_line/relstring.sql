{#- Return the grades of each query's top documents as one string: - is unjudged, . a negative grade, > a grade above 9. -#}
select
    r.query_id,
    string_agg(
        case
            when q.relevance is null then '-'
            when q.relevance < 0 then '.'
            when q.relevance > 9 then '>'
            else cast(cast(floor(q.relevance) as integer) as varchar)
        end,
        ''
        order by r.rank asc
    ) as grades
from {{ run }} as r
left join {{ qrels }} as q
    on q.query_id = r.query_id and q.doc_id = r.doc_id
where r.rank <= {{ depth }}
group by r.query_id
