{#- Select the queries of pairs of ranks from the stored rows, because reading the relation again is expensive. -#}
select
    {{ key("r") }}
from __ltr_paired as r
group by {{ key("r") }}
{%- if keys_check("r") %}
having {{ keys_check("r") }}
{%- endif %}
