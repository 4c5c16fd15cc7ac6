{#- Average each measure over queries: one row for each value of the keys. -#}
select
    {{ keys }}count(*) as queries{{ averages | indent(4) }}
from (
    {{ per_query | indent(4) }}
) as v{{ group_by }}
