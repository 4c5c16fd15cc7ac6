{#- Replace each listed grade by its gain. Other grades are kept, unless the list is `complete`: then any other grade of
    at least 0 is an error. -#}
{%- set grade = without_nan("cast(q.relevance as double)") -%}
(
    select
        {%- for name in others %}
        q.{{ name }},
        {%- endfor %}
        case {{ grade }}
            {%- for of_grade, gain in gains %}
            when {{ of_grade }} then {{ gain }}
            {%- endfor %}
            else {% if complete %}case when {{ grade }} >= 0 then {{ error("a grade has no gain: the list of " ~ gains | length ~ " gains covers the grades 0 to " ~ (gains | length - 1)) }} else {{ grade }} end{% else %}{{ grade }}{% endif %}
        end as relevance
    from {{ graded }} as q
)
