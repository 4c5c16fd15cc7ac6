{#- Average each measure over queries: one row for each combination of key values. The column __ltr_weight holds the weights if there are any. -#}
select
    {{ keys }}{{ "count(case when v.__ltr_weight > 0 then 1 end) as queries,\n    sum(v.__ltr_weight) as weight"
        if weighted else "count(*) as queries" }}{{ averages | indent(4) }}
from (
    {{ per_query | indent(4) }}
) as v{{ group_by }}
