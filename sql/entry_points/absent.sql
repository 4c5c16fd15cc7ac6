{#- Stand for a table that is not given: no rows, with the ids of the run. -#}
(
    select
        {%- for id in ids %}
        j.{{ id }}{{ "," if names or not loop.last }}
        {%- endfor %}
        {%- for name in names %}
        null as {{ quoted(name) }}{{ "" if loop.last else "," }}
        {%- endfor %}
    from {{ run }} as j
    where 1 = 0
)
