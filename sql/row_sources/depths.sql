/*
summary = """
One row per depth of a query's ranking and ideal ranking. `overlap` counts the documents that both contain down to that
depth, `ideal_overlap` the documents of the ideal ranking. The ideal ranking sorts the documents with a positive grade
by descending grade, and equal grades by rank. Within a grade, documents that were not retrieved come last."""
input = "rankings"
rows = ["all"]
*/
__ltr_ideal_order{{ suffix }} as (
    select
        {{ key("r") }},
        r.rank,
        r.relevance,
        row_number() over (partition by {{ key("r") }} order by case when r.relevance > 0 then r.relevance else 0e0
            end desc nulls last, r.rank asc nulls last) as ideal_rank,
        max(coalesce(r.num_ret, {{ whole_rank("r.rank") | indent(8) }})) over (partition by {{ key("r") }}) as num_ret
    from {{ documents }} as r
),
__ltr_compared{{ suffix }} as (
    select
        {{ key("r") }},
        max(r.ideal_rank) as num_rel,
        {%- set longer -%} case when max(r.num_ret) > max(r.ideal_rank) then max(r.num_ret) else max(r.ideal_rank) end {%- endset %}
        {% if depth is none %}{{ longer }}{% elif depth is call_time %}coalesce({{ depth }}, {{ longer }}){% else %}{{ depth }}{% endif %} as last
    from __ltr_ideal_order{{ suffix }} as r
    where r.relevance > 0
    group by {{ key("r") }}
    having {{ validate_ranks("r.rank", "r.relevance", shared_ranks) | indent(4) }}
        and {{ validate_num_ret("r.rank", "r.num_ret") | indent(8) }}
),
__ltr_all_depths{{ suffix }} as (
    {{ numbers("(select max(q.last) from __ltr_compared" ~ suffix ~ " as q)") | indent(4) }}
),
__ltr_found{{ suffix }} as (
    select
        {{ key("t") }},
        t.depth,
        count(*) as documents
    from (
        select
            {{ key("r") }},
            case when r.rank > r.ideal_rank then r.rank else r.ideal_rank end as depth
        from __ltr_ideal_order{{ suffix }} as r
        where r.relevance > 0 and r.rank is not null
    ) as t
    group by {{ key("t") }}, t.depth
),
__ltr_depths{{ suffix }} as (
    select
        {{ key("q") }},
        n.rank as depth,
        1e0 * sum(coalesce(f.documents, 0))
            over (partition by {{ key("q") }} order by n.rank asc nulls last rows between unbounded preceding and current row) as
            overlap,
        1e0 * case when n.rank < q.num_rel then n.rank else q.num_rel end as ideal_overlap
    from __ltr_compared{{ suffix }} as q
    join __ltr_all_depths{{ suffix }} as n
        on n.rank <= q.last
    left join __ltr_found{{ suffix }} as f
        on {{ same_key("f", "q") }} and f.depth = n.rank
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_depths{{ suffix }} as d
    group by {{ key("d") }}
)
