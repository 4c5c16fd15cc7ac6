{#- Number the runs in the order of their names, with their weights. `several` is true for at least three runs, `many` for more
    than 62. -#}
select
    s.name,
    row_number() over (order by {{ text_of_id("s.name") }} asc nulls last) as number,
    {{ "w.weight" if weights else "1e0" }} as weight,
    count(*) over () > 2 as several,
    count(*) over () > 62 as many
from (
    select
        r.__ltr_key_1 as name
        {%- if weights %},
        {{ text_of_id("r.__ltr_key_1") }} as id
        {%- endif %}
    from __ltr_runs as r
    group by r.__ltr_key_1
) as s
{%- if weights %}
left join (
    {{ checked_weights(weights, "run") | indent(4) }}
) as w
    on w.name = s.id
{%- endif %}
where case
    when s.name is null then {{ error("a row lacks the name of its run, query_id or doc_id: leave it out, or complete it") }}
    {%- if weights %}
    when w.name is null then {{ error("a run has no weight: the weights must name each run") }}
    {%- endif %}
    else true
end
