/*
summary = """
One row per rank from 1 to k, whether or not it holds a judged document. Queries without a positive gain have no rows. `gain` is the grade, rescaled from min_rel..max_rel to 0..1 if `max_rel` is set. `gain_so_far` is the sum of
the gains down to the rank."""
input = "rankings"
by_rank = { rank = "rank", reads = "gain" }
*/
__ltr_all_ranks{{ suffix }} as (
    {{ numbers(k) | indent(4) }}
),
__ltr_gains{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank,
        {%- if max_rel is none %}
        r.relevance as gain
        {%- else %}
        case
            {%- if max_rel is call_time %}
            when {{ max_rel }} is null then r.relevance
            {%- endif %}
            when {{ max_rel }} <= {{ min_rel }} then {{ error("max_rel must be larger than min_rel", "double") }}
            when r.relevance >= {{ max_rel }} then 1e0
            else (r.relevance - {{ min_rel }}) / (1e0 * {{ max_rel }} - {{ min_rel }})
        end as gain
        {%- endif %}
    from {{ documents }} as r
    where r.relevance > {% if min_rel is none %}0{% elif min_rel is call_time %}coalesce({{ min_rel }}, 0){% else %}{{ min_rel }}{% endif %}
),
__ltr_ranks{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank,
        r.gain{{ windows | indent(8) }}
    from (
        select
            {{ key("q") }},
            n.rank,
            coalesce(g.gain, 0e0) as gain,
            sum(coalesce(g.gain, 0e0))
                over (partition by {{ key("q") }} order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
        from (
            select
                {{ key("g") }}
            from __ltr_gains{{ suffix }} as g
            group by {{ key("g") }}
            having {{ validate_ranks("g.rank", "g.gain", shared_ranks) | indent(12) }}
        ) as q
        cross join __ltr_all_ranks{{ suffix }} as n
        left join __ltr_gains{{ suffix }} as g
            on {{ same_key("g", "q") }} and g.rank = n.rank
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_ranks{{ suffix }} as d
    group by {{ key("d") }}{{ by_rank }}
)
