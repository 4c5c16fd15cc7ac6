{#- Raise an error if the input has no rows, because an average over no queries is undefined; else return true. -#}
(select case when count(*) > 0 then true else {{ error("the input has no rows: check the query or file that it comes from") }} end from __ltr_queries as n)
