{#- Number the runs in the order of their names, with their weights. With three runs or more, `several` is true; `many` is true with more
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
    select
        w.name,
        case
            when count(*) > 1 then {{ error("the weights name a run more than once: keep one weight for each run") }}
            when max(w.weight) >= 0 and max(w.weight) <= 1e100 then max(w.weight)
            else {{ error("a weight of a run is NULL, negative, infinite or above 1e100: give each run a number from 0, where 0 leaves its scores out") }}
        end as weight
    from (
        {{ weights | indent(8) }}
    ) as w
    group by w.name
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
