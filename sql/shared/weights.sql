{#- Weights of runs or queries. -#}

{#- Select name and weight of `weights`, a query with these columns. Raise an error for a weight that is repeated, negative or not
    finite. -#}
{% macro checked_weights(weights, what) -%}
select
    w.name,
    case
        when count(*) > 1 then {{ error("the weights name a " ~ what ~ " more than once: keep one weight for each " ~ what) }}
        when max(w.weight) >= 0 and max(w.weight) <= 1e100 then max(w.weight)
        else {{ error("a weight of a " ~ what ~ " is NULL, negative, infinite or above 1e100: give each " ~ what ~ " a number from 0") }}
    end as weight
from (
    {{ weights | indent(4) }}
) as w
group by w.name
{%- endmacro %}
