{#- The queries of pairs of ranks that are dear to read: of the rows that measures read, which the engine stores. -#}
select
    {{ key("r") }}
from __ltr_paired as r
group by {{ key("r") }}
