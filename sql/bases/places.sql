{#- One row per place that a document takes: its rank, with its gain there, and its place in the ideal ranking, with its
    ideal_gain and whether it is the last of its grade: so that what both rankings hold down to a place can be summed together. -#}
__ltr_placed as (
    select
        {{ key("r") }},
        r.rank,
        r.relevance,
        {%- if rows in ["all", "counted"] %}
        coalesce(r.num_ret, r.rank) as num_ret,
        {%- endif %}
        {{ ideal_rank() }} as ideal_rank,
        {{ last_rank_of_grade() }} as last_rank_of_grade
    from {{ judged_and_counted(documents) | indent(4) if rows == "counted" else documents }} as r
    where {{ {"relevant": "r.relevance > 0", "counted": "true", "all": "true"}[rows] }}
),
__ltr_places as (
    select
        {{ key("r") }},
        r.place,
        {%- if rows in ["all", "counted"] %}
        r.num_ret,
        {%- endif %}
        r.gain,
        r.ideal_gain,
        r.ends_grade{{ windows | indent(8) }}
    from (
        select
            {{ key("p") }},
            p.rank as place,
            {%- if rows in ["all", "counted"] %}
            p.num_ret,
            {%- endif %}
            case when p.relevance > 0 then p.relevance else 0e0 end as gain,
            0e0 as ideal_gain,
            false as ends_grade
        from __ltr_placed as p
        where p.rank is not null or p.relevance is null
        union all
        select
            {{ key("p") }},
            p.ideal_rank as place,
            {%- if rows in ["all", "counted"] %}
            p.num_ret,
            {%- endif %}
            0e0 as gain,
            p.relevance as ideal_gain,
            p.ideal_rank = p.last_rank_of_grade as ends_grade
        from __ltr_placed as p
        where p.relevance > 0
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_places as d
    group by {{ key("d") }}
    having {{ sound_ranks("case when d.gain > 0 then d.place end", "d.gain", shared_ranks) | indent(4) }}
)
