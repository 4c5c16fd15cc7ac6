{#- Replace texts in relevance by their `grades`, pairs of a text and a number. Other texts must be numbers. `others` are
    the names of the other columns. -#}
select
    {% for name in others %}j.{{ name }},
    {% endfor -%}
    case
        {%- for text, grade in grades %}
        when cast(j.relevance as {{ text_type }}) = {{ text }} then {{ grade }}
        {%- endfor %}
        when j.relevance is null then null
        else coalesce(try_cast(j.relevance as double), cast({{ error_of(text_without_grade(), "j.relevance", "double") }} as double))
    end as relevance
from {{ relation }} as j
