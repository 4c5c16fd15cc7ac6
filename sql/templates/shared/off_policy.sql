{#- Weights of off-policy estimators, and checks of their logs. -#}

{#- Return the ratio of the probabilities of the two policies, at most `clip` unless it is NULL. -#}
{% macro clipped_weight(clip) -%}
case when {{ clip }} is null then r.ratio else least(r.ratio, {{ clip }}) end
{%- endmacro %}

{#- Return the subgaussian weight of a row. -#}
{% macro subgaussian_weight(shrinkage) -%}
case
    when {{ shrinkage }} > 1 then {{ error_of("shrinkage must be a number from 0 to 1 for sg_ips and sg_dr, got", shrinkage) }}
    when r.ratio = 0 then 0e0
    else r.ratio / (1e0 - {{ shrinkage }} + {{ shrinkage }} * r.ratio)
end
{%- endmacro %}

{#- Raise an error if a log holds a round twice, else return true. With ranks, each rank of a query is a row. -#}
{% macro rounds_checked_once(log, has_rank) -%}
not exists (
    select 1
    from (
        select
            {{ run_key("r") }},
            {%- if has_rank is not false %}
            r.rank,
            {%- endif %}
            count(*) as num_rows
        from (
            select
                {{ run_key_definition("l", "query_id") | indent(16) }}
                {%- if has_rank is call_time %},
                {{ optional_column("rank") }} as rank
                {%- elif has_rank %},
                l.rank
                {%- endif %}
            from {{ run_relation(log) }} as l
        ) as r
        group by {{ run_key("r") }}{{ ", r.rank" if has_rank is not false }}
    ) as n
    where case
        when n.num_rows = 1 then false
        {%- if has_rank is not false %}
        when n.rank is not null
        then {{ error_of("two rows of a query have the same rank: keep one, or give each list or round its own query_id; the query_id is", "n.query_id") }}
        {%- endif %}
        else {{ error_of("two rows have the same query_id: keep one row of each round, or give each round its own query_id; the query_id is", "n.query_id") }}
    end
)
{%- endmacro %}
