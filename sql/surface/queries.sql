{#- The queries of a relation, for each value of the keys. -#}
select
    {{ key("r") }}
from (
    select
        {{ key_definition("j") }}
    from {{ relation }} as j
    {%- if checks %}
    where {{ checks }}
    {%- endif %}
) as r
group by {{ key("r") }}
