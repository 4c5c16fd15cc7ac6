{#- Select the queries that were asked from the rows of the join, which has a row for each of them. -#}
select
    {{ key("r") }}
from __ltr_rankings as r
group by {{ key("r") }}
