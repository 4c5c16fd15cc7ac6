{#- Weights of runs or queries. -#}

{#- Select the weight of each name from `weights`, a query with a column weight and one or more columns that identify the name.
    Raise an error for different weights of one name, and for a weight that is negative or not finite. -#}
{% macro checked_weights(weights, what, name="w.name") -%}
select
    {{ name }},
    case
        when min(w.weight) < max(w.weight) then {{ error("the weights give one " ~ what ~ " different weights: keep one weight for each " ~ what) }}
        when (max(w.weight) = 0 or max(w.weight) between 1e-100 and 1e100) and min(w.weight) >= 0 and count(*) = count(w.weight) then max(w.weight)
        else {{ error("a weight of a " ~ what
            ~ " is NULL, negative, infinite or above 1e100, or above 0 and below 1e-100: give each " ~ what
            ~ " 0 or a number from 1e-100") }}
    end as weight
from (
    {{ weights | indent(4) }}
) as w
group by all
{%- endmacro %}

{#- Select the columns that identify a weight, as texts that compare by bytes: query_id and keys. `keyed` is a lambda that selects those
    that the relation has. NULL counts as a separate value. -#}
{% macro weight_key(keyed) -%}
coalesce(cast(columns({{ keyed }}) as varchar), chr(1)) collate "C"
{%- endmacro %}

{#- Select the weights of queries from `weights`, a relation with query_id, weight and keys. -#}
{% macro weights_of_queries(weights, keyed) -%}
{%- set given -%}
select
    {{ weight_key(keyed) }},
    cast(t.weight as double) as weight
from {{ weights }} as t
where case when t.query_id is null then {{ error("a weight has no query_id (NULL): complete it, or leave it out") }} else true end
{%- endset -%}
{{ checked_weights(given, "query", "columns(lambda c: c <> 'weight')") }}
{%- endmacro %}

{#- Select the rows of a table of values with the weights of their queries, in the column __ltr_weight. Weights are matched by
    query_id and the keys that both relations have. Raise an error for a query without a weight. -#}
{% macro weighted_rows(relation, weights, keyed) -%}
with __ltr_weights as materialized (
    {{ weights_of_queries(weights, keyed) | indent(4) }}
)
select
    unnest(j.__ltr_row),
    case
        when j.weight is null then error('the weights lack the query '
            || coalesce(cast(j.__ltr_row['query_id'] as varchar), 'NULL') || ': give it a weight, or 0 to leave it out')
        else j.weight
    end as __ltr_weight
from (
    select *
    from (
        select
            __ltr_valued as __ltr_row,
            {{ weight_key(keyed) }}
        from {{ relation }} as __ltr_valued
    )
    natural left join __ltr_weights
) as j
{%- endmacro %}
