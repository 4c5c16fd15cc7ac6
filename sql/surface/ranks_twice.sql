{#- How many queries have a rank more than once. -#}
select count(*) as ranks_twice
from (
    select
        {{ key("r") }}
    from (
        select
            {{ key_definition("j") }},
            {{ without_nan("try_cast(j.rank as double)") }} as rank
        from {{ run }} as j
    ) as r
    where r.rank is not null
    group by {{ key("r") }}
    having count(*) <> count(distinct r.rank)
) as n
