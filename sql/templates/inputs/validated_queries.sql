{#- Select the queries of rankings and validate all rows in one pass. This query may reject valid input, which
    validation/quick_check.sql then examines. -#}
with __ltr_ranked_queries as (
    select
        {{ key("r") }},
        {{ nulls("r", ["query_id"]) }} as null_ids,
        {{ not_numbers("r", ["rank", "relevance"], kinds) }} as no_numbers,
        {{ counted_ranks("r", kinds) | indent(8) }},
        {{ not_whole("r", kinds) }} as ranks_not_whole,
        {{ infinite("r", "relevance", kinds) }} as grades_infinite
    from (
        select
            {{ key_definition("j") }},
            j.rank,
            j.relevance
        from {{ relation }} as j
    ) as r
    group by {{ key("r") }}
)
select
    {{ key("n") }}
from __ltr_ranked_queries as n
left join {{ expected_rank_checksums("__ltr_ranked_queries") }} as m
    on m.ranks = n.ranks
where case
    when n.null_ids + n.no_numbers + n.ranks_not_whole + n.grades_infinite > 0
        or {{ unclear_ranks("n", "m") }}
    then {{ error("the rankings have invalid rows (ltr.check_rankings shows them)") }}
    else true
end
