{#- Average columns of a table of values over the queries of each system, in the order of `systems`. -#}
select
    {%- for column in columns %}
    {{ "sum(v.__ltr_weight * v." ~ column ~ ") / sum(case when v." ~ column ~ " is not null then v.__ltr_weight end)"
        if weighted else "avg(v." ~ column ~ ")" }}{{ "," if not loop.last }}
    {%- endfor %}
from {{ values }} as v
group by v.system
order by list_position({{ systems }}, cast(v.system as varchar)) asc
