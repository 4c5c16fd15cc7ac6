/*
summary = "One row per document of a query, the row source of most measures."
input = "rankings"
rows = ["all", "counted", "judged", "relevant"]
by_rank = { rank = "rank", reads = "rank" }
*/
__ltr_documents as (
    select
        {{ key("r") }},
        r.rank,
        r.relevance
        {%- if reads in ["all", "counted"] %},
        coalesce(r.num_ret, r.rank) as num_ret
        {%- endif %}{{ windows | indent(8) }}
    from {{ judged_and_counted(documents) | indent(4) if reads == "counted" else documents }} as r
    where {{ {"relevant": "r.relevance > 0", "judged": "r.relevance is not null", "counted": "true", "all": "true"}[reads] }}
),
{{ name }} as (
    select
        {{ key("d") }}
        {%- if counts_rows %},
        count(*) as __ltr_num_read,
        count(d.rank) as __ltr_num_retrieved
        {%- endif %}{{ values | indent(8) }}
    from __ltr_documents as d
    group by {{ key("d") }}{{ by_rank }}
    having {{ validate_ranks("d.rank", "d.relevance", shared_ranks) | indent(4) }}
    {%- if reads == "all" %}
        and {{ validate_num_ret("d.rank", "d.num_ret") | indent(8) }}
    {%- endif %}
)
