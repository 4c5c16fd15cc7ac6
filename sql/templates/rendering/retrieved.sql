{#- Count the documents that were retrieved for each query; the largest rank if the relation lacks num_ret. -#}
__ltr_by_retrieved as (
    select
        {{ key("r") }},
        max(coalesce(r.num_ret, r.rank)) as num_ret
    from __ltr_rankings as r
    group by {{ key("r") }}
)
