{#- Replace the texts in the columns `texts` by their numbers, and raise an error for other texts, and for large numbers
    in the columns `exact`. `truths` are columns of
    truth values, which become 1 and 0. `others` are the names of the other columns. The error shows the `ids` between two texts. -#}
select
    {% for name in others %}j.{{ name }},
    {% endfor -%}
    {% for name in truths %}cast(cast(j.{{ name }} as integer) as double) as {{ name }}{{ "," if texts or not loop.last }}
    {% endfor -%}
    {% for name in texts -%}
    case
        when j.{{ name }} is null then null
        {%- if name in exact %}
        when abs(try_cast(j.{{ name }} as double)) >= 9007199254740992e0 and abs(try_cast(j.{{ name }} as double)) < cast('inf' as double)
        then cast({{ error_of(name ~ " is text and holds a number that a double may round:", shown_row("j", ids + [name]), "double",
            ". What to do: cast the column to a type of numbers, such as bigint or numeric") }} as double)
        {%- endif %}
        else coalesce(try_cast(j.{{ name }} as double), cast({{ error_of(before, shown_row("j", ids + [name]), "double", after) }} as double))
    end as {{ name }}{{ "," if not loop.last }}
    {% endfor -%}
from {{ relation }} as j
