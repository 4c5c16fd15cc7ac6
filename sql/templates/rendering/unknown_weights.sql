{#- Count the weights of queries that a table of values lacks, and return the first of these queries. -#}
select
    count(*),
    min(w.query_id)
from (
    select *
    from (
        {{ weights_of_queries(weights, keyed) | indent(8) }}
    )
    natural anti join (
        select {{ weight_key(keyed) }}
        from {{ relation }} as v
    )
) as w
