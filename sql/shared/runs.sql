{#- A run with its ranks: as given where the run has a column `rank`, else made from `score`.
    `has_rank` is true or false, or a symbol where only the rows will tell. -#}
{% macro ranked_run(name, has_rank, ties, qrels=none) -%}
{#- With a `depth`, ranks beyond it may stay unknown: rows that score below the best so many are not sorted. -#}
{%- set by_grade = qrels and (ties is symbol or ties in ["worst", "best"]) -%}
__ltr_{{ name }} as {{ inline }}(
    select
        {{ run_key_definition("j") | indent(8) }},
        j.doc_id,
        {{ run_fields("j", has_rank, ties) | indent(8) }}
    from {{ run_relation(relations[name]) }} as j
),
{% if has_rank is false and depth is not none -%}
__ltr_{{ name }}_floor as (
    select
        {{ key("t") }},
        case when count({{ score_under(ties, "t") }}) >= {{ depth }} then {{ smallest_of_largest(score_under(ties, "t"), depth) }} end as score
    from __ltr_{{ name }} as t
    group by {{ key("t") }}
),
{% endif -%}
{% if has_rank is not true -%}
__ltr_{{ name }}_by_score as {{ inline }}(
    select
        {{ run_key("r") }},
        r.doc_id,
        {{ rank_by_score() | indent(8) }} as rank
    from (
        select
            {{ run_key("t") }},
            t.doc_id,
            {{ row("t") }}.score as score
            {%- if ties is symbol or ties == "row_order" %},
            {{ row("t") }}.row_order as row_order
            {%- endif %}
            {%- if ties is symbol %},
            {{ row("t") }}.rank as rank
            {%- endif %}
            {%- if by_grade %},
            g.relevance as relevance
            {%- elif ties is symbol %},
            cast(null as double) as relevance
            {%- endif %}
        from __ltr_{{ name }} as t
        {%- if has_rank is false and depth is not none %}
        join __ltr_{{ name }}_floor as f
            on {{ same_key("f", "t") }} and (f.score is null or {{ score_under(ties, "t") }} >= f.score)
        {%- endif %}
        {%- if by_grade %}
        left join (
            select
                q.query_id,
                q.doc_id,
                max(q.relevance) as relevance
            from {{ relations[qrels] }} as q
            group by q.query_id, q.doc_id
        ) as g
            on g.query_id = t.query_id and g.doc_id = t.doc_id{% if ties is symbol %} and {{ ties }} in ('worst', 'best'){% endif %}
        {%- endif %}
        {%- if has_rank is symbol %}
        where (select count({{ row("t") }}.rank) = 0 from __ltr_{{ name }} as t)
            and {{ has_tie_column(row("t"), ties) | indent(12) }}
        {%- endif %}
    ) as r
    window __ltr_best_first as (
        partition by {{ key("r") }}
        order by
            {{ best_first("r", ties) | indent(12) }}
    )
),
{% endif -%}
__ltr_{{ name }}_ranked as {{ inline }}(
    {%- if has_rank is not false %}
    select
        {{ run_key("r") }},
        r.doc_id,
        {{ row("r") }}.rank as rank
    from __ltr_{{ name }} as r
    {%- endif %}
    {%- if has_rank is symbol %}
    where (select count({{ row("t") }}.rank) > 0 from __ltr_{{ name }} as t)
    union all
    {%- endif %}
    {%- if has_rank is not true %}
    select
        {{ run_key("r") }},
        r.doc_id,
        r.rank
    from __ltr_{{ name }}_by_score as r
    {%- endif %}
)
{%- endmacro %}
