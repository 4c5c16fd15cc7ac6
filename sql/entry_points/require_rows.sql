{#- Whether there is anything to measure: no rows have no mean. -#}
(select case when count(*) > 0 then true else {{ error("there are no rows") }} end from __ltr_queries as n)
