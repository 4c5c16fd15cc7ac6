{#- Return the share of the rows of a run whose score is that of no judged document, if each row is judged with a probability of
    `judged`. Read one of `parts` parts of the queries. The result is NULL if it has no rows. -#}
select sum(s.rows * power(1e0 - {{ judged }}, s.rows)) / sum(s.rows)
from (
    select count(*) as rows
    from (
        select
            {{ key_definition("j") }},
            cast(j.score as double) as score
        from {{ run }} as j
        where hash(j.query_id) % {{ parts }} = 0
    ) as r
    group by {{ key("r") }}, r.score
) as s
