{#- The CTEs of the value of a measure down to each rank: of the ranking (kind 'ranking'), and of the ideal ranking (kind 'ideal'). -#}
with __ltr_given as (
    select
        {{ key_definition("j", "rank", "relevance") }},
        {{ explained_fields("j") | indent(8) }}
    from {{ checked_relation(relation, "rank", "relevance") }} as j
    {%- if query is not none %}
    where cast(j.query_id as varchar) = {{ query }}
    {%- endif %}
),
__ltr_checked as (
    select
        {{ key("r") }}
    from __ltr_given as r
    group by {{ key("r") }}
    having {{ keys_check("r") }} and {{ one_row_per_document("r", "is not null", reject_duplicate_document()) }}
        and case when count({{ row("r") }}.doc_id) = count(distinct {{ row("r") }}.doc_id) then true else {{ reject_duplicate_document() }} end
),
__ltr_orders as (
    select
        {{ key("r") }},
        'ranking' as kind,
        {{ row("r") }}.rank as rank,
        {{ row("r") }}.doc_id as doc_id,
        {{ row("r") }}.relevance as relevance,
        coalesce({{ row("r") }}.num_ret, {{ row("r") }}.rank) as num_ret
    from __ltr_given as r
    join __ltr_checked as c
        on {{ same_key("c", "r") }}
    union all
    select
        {{ key("r") }},
        'ideal' as kind,
        case when r.relevance > 0 and (r.ideal_rank <= r.num_ret or not {{ counted }}) then r.ideal_rank end as rank,
        r.doc_id,
        r.relevance,
        r.num_ret
    from (
        select
            {{ key("g") }},
            {{ row("g") }}.doc_id as doc_id,
            {{ row("g") }}.relevance as relevance,
            row_number() over (partition by {{ key("g") }} order by {{ row("g") }}.relevance desc nulls last,
                {{ row("g") }}.rank asc nulls last, {{ row("g") }}.doc_id asc nulls last) as ideal_rank,
            {#- The measures that count the retrieved documents compare with an ideal ranking of as many. #}
            max(coalesce({{ row("g") }}.num_ret, {{ row("g") }}.rank)) over (partition by {{ key("g") }}) as num_ret
        from __ltr_given as g
    ) as r
),
__ltr_explained as (
    select
        struct_pack(of := {{ key("d") }}, kind := d.kind) as __ltr_key,
        d.rank,
        d.relevance,
        coalesce(max(d.num_ret) over (partition by {{ key("d") }}), 0) as num_ret
    from __ltr_orders as d
),
{{ block }},
