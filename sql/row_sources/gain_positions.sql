/*
summary = """
Up to two rows per document: its rank with its `gain`, and its position in the ideal ranking with its `ideal_gain`.
`ends_grade` is true for the last position of a grade in the ideal ranking. The gains of both rankings can then be summed
by position."""
input = "rankings"
rows = ["all", "counted", "relevant"]
by_rank = { rank = "position", reads = "gain" }
*/
__ltr_positioned as (
    select
        {{ key("r") }},
        r.rank,
        r.relevance,
        {%- if reads in ["all", "counted"] %}
        coalesce(r.num_ret, r.rank) as num_ret,
        {%- endif %}
        {{ ideal_rank() }} as ideal_rank,
        {{ last_rank_of_grade() }} as last_rank_of_grade
    from {{ judged_and_counted(documents) | indent(4) if reads == "counted" else documents }} as r
    where {{ {"relevant": "r.relevance > 0", "counted": "true", "all": "true"}[reads] }}
),
__ltr_gain_positions as (
    select
        {{ key("r") }},
        r.position,
        {%- if reads in ["all", "counted"] %}
        r.num_ret,
        {%- endif %}
        r.gain,
        r.ideal_gain,
        r.ends_grade{{ windows | indent(8) }}
    from (
        select
            {{ key("p") }},
            p.rank as position,
            {%- if reads in ["all", "counted"] %}
            p.num_ret,
            {%- endif %}
            case when p.relevance > 0 then p.relevance else 0e0 end as gain,
            0e0 as ideal_gain,
            false as ends_grade
        from __ltr_positioned as p
        where p.rank is not null or p.relevance is null
        union all
        select
            {{ key("p") }},
            p.ideal_rank as position,
            {%- if reads in ["all", "counted"] %}
            p.num_ret,
            {%- endif %}
            0e0 as gain,
            p.relevance as ideal_gain,
            p.ideal_rank = p.last_rank_of_grade as ends_grade
        from __ltr_positioned as p
        where p.relevance > 0
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_gain_positions as d
    group by {{ key("d") }}{{ by_rank }}
    having {{ validate_ranks("case when d.gain > 0 then d.position end", "d.gain", shared_ranks) | indent(4) }}
)
