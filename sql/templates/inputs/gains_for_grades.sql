{#- Replace each listed grade by its gain, and keep other grades. `inputs/grades_without_gain.sql` finds those that need one. -#}
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
            else {{ grade }}
        end as relevance
    from {{ graded }} as q
)
