{#- Pair the values of each query with those of a system whose values are all 0. `measures` lists the column of each measure, its name in the
    result, and whether it is a geometric mean, of which the logarithms are read. -#}
{%- for side in ["1", "0"] %}
select
    v.* exclude ({% for column, name, logarithm in measures %}{{ column }}{{ ", " if not loop.last }}{% endfor %}),
    '{{ side }}' as __ltr_side
    {%- for column, name, logarithm in measures %},
    {{ ("ln(greatest(v." ~ column ~ ", 1e-5))" if logarithm else "cast(v." ~ column ~ " as double)") if side == "1" else "0e0" }} as {{ name }}
    {%- endfor %}
from {{ relation }} as v
{{ "union all" if not loop.last }}
{%- endfor %}
