{#- Graded rows with a gain in place of each grade of a list; other grades stay, or if the list is complete, stop the
    query. Negative grades are no grades of a scale. -#}
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
            else {% if complete %}case when {{ grade }} >= 0 then {{ error("a grade has no gain: gains are a list of " ~ gains | length ~ ", for the grades 0 to " ~ (gains | length - 1)) }} else {{ grade }} end{% else %}{{ grade }}{% endif %}
        end as relevance
    from {{ graded }} as q
)
