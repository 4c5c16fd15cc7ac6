{#- Fuse runs. __ltr_listed holds the documents of each run, and __ltr_values the value of each document in each run.
    With `points`, a relation of weights with the columns point, name and weight, there is one fused run for each point.
    __ltr_fused has one row for each document of each query. `system` is the number of the run if `numbered` is set, else its name. -#}
with {{ ranked }},
{%- if numbered %}
__ltr_systems as {{ materialized }}(
    {{ systems | indent(4) }}
),
{%- endif %}
__ltr_listed as (
    select
        {{ fused_key("r") }},
        r.doc_id,
        {%- if numbered %}
        s.number as system,
        s.weight,
        s.several,
        {%- if sorted_values %}
        s.bit,
        {%- endif %}
        {%- else %}
        r.__ltr_key_1 as system,
        {%- endif %}
        {{ scores | indent(8) }}r.rank
    from __ltr_runs_ranked as r
    {%- if numbered %}
    join __ltr_systems as s
        on s.name = r.__ltr_key_1
    {%- endif %}
    where {{ at_depth }}
        and case
            when {% if not numbered %}r.__ltr_key_1 is not null and {% endif %}r.query_id is not null and r.doc_id is not null then true
            else {{ error("a row lacks the name of its run, query_id or doc_id: leave it out, or complete it") }}
        end
),
__ltr_values as (
    {{ values | indent(4) }}
),
__ltr_fused as (
    select
        {{ point("w") }}{{ fused_key("d") }},
        d.doc_id,
        {{ fused | indent(8) }} as score,
        cast({{ runs }} as bigint) as runs
    from __ltr_values as d
    {%- if points %}
    join __ltr_systems as s
        on s.number = d.system
    join {{ points }} as w
        on w.name = {{ text_of_id("s.name") }}
    {%- endif %}
    group by {{ point("w") }}{{ fused_key("d") }}, d.doc_id
    having case when {{ distinct_systems() }} then true else {{ reject_duplicate_document() }} end
),
__ltr_placed as (
    select
        {{ point("f") }}{{ fused_key("f") }},
        f.doc_id,
        f.score,
        row_number() over (
            partition by {{ point("f") }}{{ fused_key("f") }}
            order by {{ order }}
        ) as rank,
        f.runs
    from __ltr_fused as f
    where case
        when abs(f.score) <= 1.7976931348623157e308 then true
        else {{ error_of("the fused score of a document is too large for a number, or undefined: choose a norm, or smaller weights or gamma; the doc_id is",
            "f.doc_id") }}
    end
)
select
    {{ point("f") }}{{ fused_key_output("f") }},
    f.doc_id,
    f.score,
    f.rank,
    f.runs
from __ltr_placed as f
where {{ at_top }}
