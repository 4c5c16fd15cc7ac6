{#- Number the runs in the order of their names, with their weights. `several` is true for at least three runs.
    `bit` marks a run in sets of the first 62 runs. It is 0 for further runs. -#}
select
    s.name,
    s.number,
    {{ "w.weight" if weights else "1e0" }} as weight,
    {%- if sorted_values %}
    case when s.number <= 62 then cast(1 as bigint) << cast(s.number - 1 as bigint) else 0 end as bit,
    {%- endif %}
    s.several
from (
    select
        n.name,
        {%- if weights %}
        {{ text_of_id("n.name") }} as id,
        {%- endif %}
        row_number() over (order by {{ text_of_id("n.name") }} asc nulls last) as number,
        count(*) over () > 2 as several
    from (
        select
            r.__ltr_key_1 as name
        from __ltr_runs as r
        group by r.__ltr_key_1
    ) as n
) as s
{%- if weights %}
full join (
    {{ checked_weights(weights, "run") | indent(4) }}
) as w
    on w.name = s.id
{%- endif %}
where case
    {%- if weights %}
    when s.number is null then {{ error_of("the weights name a run that is not one of the runs:", "w.name") }}
    {%- endif %}
    when s.name is null then {{ error("a row lacks the name of its run, query_id or doc_id: leave it out, or complete it") }}
    {%- if weights %}
    when w.name is null then {{ error_of("a run has no weight: the weights must name each run; they lack", "s.id") }}
    {%- endif %}
    else true
end
