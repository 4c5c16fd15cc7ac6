/*
summary = """
One row per depth of the top k of two rankings. Consecutive depths with equal counts may share one row, which ends at
the depth `until`. `size_a` and `size_b` count the documents of each ranking down to that depth, `overlap` those in
both. A document with an averaged rank, such as 2.5, enters at the next whole depth."""
input = "pairs"
*/
__ltr_in_tops{{ suffix }} as (
    select
        {{ key("r") }},
        ceil(r.rank_a) as rank_a,
        ceil(r.rank_b) as rank_b,
        row_number() over (partition by {{ key("r") }} order by r.rank_a asc nulls last, r.rank_b asc nulls last) as position,
        {{ depth_or_default(k, "ceil(" ~ last_rank() ~ ")") }} as last
    from (
        {{ truncated_ranks(k) | indent(8) }}
    ) as r
    where r.rank_a is not null or r.rank_b is not null
),
{#- Each depth up to the number of documents has its own row. A row for several depths starts at this number or deeper,
    where the depth is at least the size of either ranking. #}
__ltr_entries{{ suffix }} as (
    {%- set entries = [
        ("r.position", "0, 0, 0", "r.position <= r.last"),
        ("r.rank_a", "1, 0, 0", "r.rank_a is not null"),
        ("r.rank_b", "0, 1, 0", "r.rank_b is not null"),
        (larger("r.rank_a", "r.rank_b"), "0, 0, 1", in_both(none, "r")),
    ] %}
    {%- for depth, enters, condition in entries %}
    select
        {{ key("r") }},
        r.last,
        {{ depth }} as depth,
        {%- for column in ["in_a", "in_b", "in_both"] %}
        {{ enters.split(", ")[loop.index0] }} as {{ column }}{{ "" if loop.last else "," }}
        {%- endfor %}
    from __ltr_in_tops{{ suffix }} as r
    where {{ condition }}
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
),
__ltr_tops{{ suffix }} as (
    {%- set by_depth = "over (partition by " ~ key("r") ~ " order by r.depth asc nulls last rows between " %}
    select
        {{ key("r") }},
        r.last,
        1e0 * r.depth as depth,
        {%- for column, entering in [("size_a", "in_a"), ("size_b", "in_b"), ("overlap", "in_both")] %}
        1e0 * sum(r.{{ entering }}) {{ by_depth }}unbounded preceding and current row) as {{ column }},
        {%- endfor %}
        coalesce(min(r.depth) {{ by_depth }}1 following and 1 following) - 1, r.last) as until{{ windows | indent(8) }}
    from (
        select
            {{ key("t") }},
            t.last,
            t.depth,
            sum(t.in_a) as in_a,
            sum(t.in_b) as in_b,
            sum(t.in_both) as in_both
        from __ltr_entries{{ suffix }} as t
        group by {{ key("t") }}, t.last, t.depth
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_tops{{ suffix }} as d
    group by {{ key("d") }}
)
