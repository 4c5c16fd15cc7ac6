{#- Count the ids of tables that equal another id in another Unicode normal form, and show the first. `ids` are pairs of a relation
    and a column of text. -#}
select
    count(*) as how_many,
    min(f.id) as first
from (
    select
        t.name,
        min(t.id) as id
    from (
        {%- for relation, name in ids %}
        select distinct
            '{{ name }}' as name,
            r.{{ name }} as id
        from {{ relation }} as r
        where {{ beyond_ascii("r." ~ name) }}
        {{- "" if loop.last else "\n        union all" }}
        {%- endfor %}
    ) as t
    group by t.name, nfc_normalize(t.id)
    having min(t.id) <> max(t.id)
) as f
