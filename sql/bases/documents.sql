{#- One row per document of a query: what most measures are summed over. `rows` is what the measures need of it;
    of them, num_ret is largest where it says how many documents were retrieved. `rows_counted`: for surface/judged_once.sql. -#}
__ltr_documents as (
    select
        {{ key("r") }},
        r.rank,
        r.relevance
        {%- if rows in ["all", "counted"] %},
        coalesce(r.num_ret, r.rank) as num_ret
        {%- endif %}{{ windows | indent(8) }}
    from {{ judged_and_counted(documents) | indent(4) if rows == "counted" else documents }} as r
    where {{ {"relevant": "r.relevance > 0", "judged": "r.relevance is not null", "counted": "true", "all": "true"}[rows] }}
),
{{ name }} as (
    select
        {{ key("d") }}
        {%- if rows_counted %},
        count(*) as __ltr_num_read,
        count(d.rank) as __ltr_num_retrieved
        {%- endif %}{{ values | indent(8) }}
    from __ltr_documents as d
    group by {{ key("d") }}
    having {{ sound_ranks("d.rank", "d.relevance", shared_ranks, "d.num_ret" if rows == "all" else none) | indent(4) }}
)
