{#- Select the rankings of a run in which documents have the same score. -#}
select distinct
    {{ columns | join(", ") }}
from (
    select
        {%- for column in columns %}
        r.{{ column }},
        {%- endfor %}
        {{ number_of("r", "score", kinds) }} as score
    from {{ run }} as r
) as s
group by {{ columns | join(", ") }}, s.score
having count(*) > 1
