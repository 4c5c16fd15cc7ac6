{#- Average each measure over queries: one row for each combination of key values. The column __ltr_weight holds the weights if there are
    any: the sum is that of the queries where a measure, `counted`, is defined. -#}
select
    {{ keys }}
    {%- if weighted %}count(case when v.__ltr_weight > 0 then 1 end) as queries,
    sum(case when {{ counted }} is not null then v.__ltr_weight else 0e0 end) as weight
    {%- else %}count(*) as queries
    {%- endif %}{{ averages | indent(4) }}
from (
    {{ per_query | indent(4) }}
) as v{{ group_by }}
