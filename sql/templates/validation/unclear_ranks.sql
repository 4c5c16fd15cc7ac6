{#- Count the queries with a rank out of range and those with a duplicate rank. This query runs only if a checksum of ranks
    is not that of 1 to n. -#}
select
    count(case when {{ out_of_range("n.first_rank") }} or {{ out_of_range("n.last_rank") }} then 1 end) as ranks_out_of_range,
    {{ "count(case when n.ranks > n.different_ranks then 1 end)" if check_ranks else "0" }} as duplicate_ranks
from (
    select
        {{ key("r") }},
        min(r.rank) as first_rank,
        max(r.rank) as last_rank,
        count(r.rank) as ranks,
        {#- With judgments, the query of the measures checks for duplicate ranks. #}
        {{ "max(r.rank)" if qrels else "count(distinct r.rank)" }} as different_ranks
    from (
        select
            {{ key_definition("j") }},
            {{ without_nan("try_cast(j.rank as double)") }} as rank
        from {{ run }} as j
    ) as r
    group by {{ key("r") }}
) as n
