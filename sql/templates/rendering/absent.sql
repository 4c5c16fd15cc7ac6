{#- Return an empty relation in place of a table that the call does not pass. Its id columns have the types of the run's ids. -#}
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
